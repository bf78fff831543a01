import { type ConnectionOptions, targetOf } from "../../connection/target.ts";
import { Failure } from "../../failure.ts";

/** The sandbox of the argument, else the one that commands here work in. */
export const givenOrCurrent = async (name: string | undefined, options: ConnectionOptions): Promise<string> => {
  const sandbox = name ?? (await targetOf(options)).sandbox;
  if (sandbox !== undefined) return sandbox;
  throw new Failure("usage", "Which sandbox?", { hint: "Name it. Which are there? tenantry sandbox list" });
};
