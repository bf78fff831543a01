import { OAUTH_SCOPES } from "#contracts/oauth-bodies";
import { Fault } from "#shared/foundation/faults";

export const namesOf = (scope: string): string[] => [...new Set(scope.split(" ").filter((name) => name !== ""))];

/**
 * The scope that a client is granted: the requested one, or everything that it may have if it requests none.
 * Raises `invalid_scope` for a scope that does not exist or that the client may not have.
 */
export const grantedScope = (asked: string | undefined, allowed: readonly string[]): string => {
  const names = namesOf(asked ?? "");
  if (names.length === 0) return allowed.join(" ");
  const refused = names.filter((name) => !allowed.includes(name));
  if (refused.length > 0) {
    const known = refused.filter((name) => (OAUTH_SCOPES as readonly string[]).includes(name));
    const reason = known.length === refused.length ? "This client may not ask for" : "There is no scope";
    throw new Fault("invalid_scope", { message: `${reason} ${refused.join(", ")}.` });
  }
  return names.join(" ");
};
