import { readPublicKey } from "#shared/foundation/aws/kms";
import { elapsedMillis } from "#shared/foundation/clock";
import { env } from "#shared/foundation/env";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { base } from "./base.ts";

export interface Check {
  readonly ok: boolean;
  readonly milliseconds: number;
}

export interface Checks {
  readonly database: Check;
  readonly signing_key: Check;
}

const timed = async (name: string, work: () => Promise<unknown>): Promise<Check> => {
  const start = elapsedMillis();
  let ok = true;
  try {
    await work();
  } catch (error) {
    ok = false;
    log.error({ dependency: name, err: error }, "a dependency does not answer");
  }
  return { ok, milliseconds: Math.round((elapsedMillis() - start) * 1000) / 1000 };
};

/** Sends a request to the database and to the key service. No cache is used. Raises `dependency_unavailable`. */
export const checkDependencies = async (): Promise<Checks> => {
  const [signingKey] = env.signingKeyAliases();
  const [database, signing_key] = await Promise.all([
    timed("database", async () => (await base()).ping()),
    timed("signing_key", () => readPublicKey(signingKey ?? "")),
  ]);
  const down = Object.entries({ database, signing_key }).filter(([, check]) => !check.ok);
  if (down.length > 0) {
    throw new Fault("dependency_unavailable", {
      message: `Not answering: ${down.map(([name]) => name).join(", ")}.`,
      headers: { "retry-after": "5" },
    });
  }
  return { database, signing_key };
};
