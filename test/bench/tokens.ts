import { verify } from "node:crypto";
import type { LaunchedPlatform } from "../setup/launch-platform.ts";
import { median } from "./measure.ts";
import { ratio } from "./print.ts";

/** Short, so that most batches are not interrupted by other processes. */
const BATCH = 20;
const BATCHES = 75;

/** Microseconds for each operation, measured in turns. */
const microseconds = async <T>(
  pieces: readonly T[],
  ways: readonly ((piece: T) => unknown)[],
): Promise<readonly number[][]> => {
  const times = ways.map((): number[] => []);
  for (let first = 0; first < pieces.length; first += BATCH) {
    const batch = pieces.slice(first, first + BATCH);
    for (const [index, work] of ways.entries()) {
      const start = performance.now();
      for (const piece of batch) await work(piece);
      times[index]?.push(((performance.now() - start) * 1000) / batch.length);
    }
  }
  return times;
};

const report = (what: string, times: readonly number[], bare: readonly number[], target: number): void => {
  const [first, second] = [median(times), median(bare)];
  ratio(`${what} ÷ its RSA signature alone`, { first, second, ratio: first / second }, target, "µs");
};

/** Verification of access tokens as in every request: in this process, with the keys of a running platform. */
export const benchTokens = async (access: LaunchedPlatform["access"]): Promise<void> => {
  const { url, stage, awsEndpoint, region, credentials } = access;
  const key = (name: string): string => `alias/tenantry-${stage}-signing-${name}`;
  Object.assign(process.env, {
    ISSUER: url,
    SIGNING_KEY_ALIASES: `${key("a")},${key("b")}`,
    AWS_REGION: region,
    AWS_ENDPOINT_URL: awsEndpoint,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: credentials.sessionToken,
  });
  const { issueAccessToken, verifyAccessToken } = await import("#shared/foundation/tokens/tokens");
  const { trustedKeys } = await import("#shared/foundation/tokens/keys");
  const [signing] = await trustedKeys();
  if (signing === undefined) throw new Error("the platform has no signing key");

  const issue = (index: number): Promise<string> =>
    issueAccessToken({
      sub: `01900000-0000-7000-8000-${String(index).padStart(12, "0")}`,
      org: "org_0123456789abcdef",
      email: `person-${index}@example.test`,
      sid: `01900000-0000-7000-9000-${String(index).padStart(12, "0")}`,
      scope: "all",
    });
  const tokens: string[] = [];
  // The first batches are a warm-up.
  const warmUp = BATCH * 20;
  const count = warmUp + BATCH * BATCHES;
  while (tokens.length < count) {
    const batch = Array.from({ length: BATCH }, (_, index) => issue(tokens.length + index));
    tokens.push(...(await Promise.all(batch)));
  }
  const check = async (token: string): Promise<void> => {
    if ((await verifyAccessToken(token)).claims === undefined)
      throw new Error("a token of the platform's own was refused");
  };
  const signatureAlone = (token: string): void => {
    const end = token.lastIndexOf(".");
    const right = verify(
      "sha256",
      Buffer.from(token.slice(0, end)),
      signing.key,
      Buffer.from(token.slice(end + 1), "base64url"),
    );
    if (!right) throw new Error("a signature of the platform's own is wrong");
  };
  const ways = [check, signatureAlone, check];
  await microseconds(tokens.slice(0, warmUp), ways);
  const [first = [], bare = [], again = []] = await microseconds(tokens.slice(warmUp), ways);
  // Web Crypto alone takes 2.5 times as long as the synchronous call, because it works in another thread.
  report("access token, first seen", first, bare, 8);
  report("access token, seen before", again, bare, 1);
};
