import { Failure } from "../failure.ts";
import { warn } from "../terminal/terminal.ts";
import { findSandbox } from "./access.ts";
import { labelOf } from "./places.ts";
import { type Platform, parentPlatform } from "./platform.ts";

/** When the sandbox's copy was made, and whether a new one is being made. Undefined outside of sandboxes. */
const copyOf = async (platform: Platform) => {
  const parent = await parentPlatform(platform);
  if (parent === undefined) return undefined;
  const { sandbox } = await platform.place();
  try {
    return await findSandbox({ ...parent.target, sandbox: sandbox?.name }, parent.call);
  } catch (error) {
    // Users of a sandbox need not be users of its parent.
    if (error instanceof Failure) return undefined;
    throw error;
  }
};

/**
 * Runs work of several writes. A refresh of the sandbox discards those that came before it, and the platform accepts the
 * later ones. @throws Failure if that happened
 */
export const unlessRefreshed = async <T>(platform: Platform, work: () => Promise<T>): Promise<T> => {
  const before = await copyOf(platform);
  const result = await work();
  const after = before && (await copyOf(platform));
  if (before === undefined || after === undefined) return result;
  const where = labelOf(await platform.place());
  if (after.refreshed_date !== before.refreshed_date) {
    throw new Failure("failed", `The ${where} was refreshed meanwhile. What was written before that is gone.`, {
      hint: "Run the command again.",
    });
  }
  if (after.status === "refreshing") warn(`The ${where} is being refreshed: what was written will be gone.`);
  return result;
};
