import type { ConnectionOptions } from "../../../connection/target.ts";
import { isSandboxName } from "../../../connection/workspace.ts";
import { Failure } from "../../../failure.ts";
import { givenOrCurrent } from "../name.ts";

/** The sandbox, if the first argument names one, else the one that commands here work in; and the users. */
export const selected = async (
  args: readonly string[],
  options: ConnectionOptions,
): Promise<{ sandbox: string; users: readonly string[] }> => {
  const [first = "", ...others] = args;
  // Ids of users have dashes, and emails an @.
  const isNamed = isSandboxName(first);
  const users = isNamed ? others : args;
  if (users.length === 0) throw new Failure("usage", "Which users? Give their ids or emails.");
  return { sandbox: await givenOrCurrent(isNamed ? first : undefined, options), users };
};
