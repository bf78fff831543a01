import { type ConnectionOptions, parentTargetOf, type Target, targetOf } from "../../connection/target.ts";
import { Failure } from "../../failure.ts";

/** The sandbox of the argument, else the one that commands here work in. */
export const givenOrCurrent = async (name: string | undefined, options: ConnectionOptions): Promise<string> => {
  const sandbox = name ?? (await targetOf(options)).sandbox;
  if (sandbox !== undefined) return sandbox;
  throw new Failure("usage", "Which sandbox?", { hint: "Name it. Which are there? tenantry sandbox list" });
};

/** The sandbox that the workspace names, if it belongs to the target's organization. */
export const workspaceSandbox = async ({ workspace, url, organization }: Target): Promise<string | undefined> => {
  const { sandbox } = workspace ?? {};
  const here = await parentTargetOf({});
  return typeof sandbox === "string" && here.url === url && here.organization === organization ? sandbox : undefined;
};
