import { type Reply, type Request, refusal, send } from "./request.ts";
import { type ConnectionOptions, type Target, targetOf } from "./target.ts";
import { freshToken, signedOut } from "./tokens.ts";

/** The platform's API for the signed-in person. */
export interface Platform {
  readonly target: Target;
  /** The reply to a successful request. @throws Failure for every other status */
  call(request: Request): Promise<Reply>;
}

/** @throws Failure `signedOut` if nobody is signed in there */
export const connect = async (options: ConnectionOptions): Promise<Platform> => {
  const target = await targetOf(options);
  const { TENANTRY_TOKEN: given } = process.env;
  if (!given && target.profile?.refresh_token === undefined) throw signedOut(target);
  let token = given || target.profile?.access_tokens[target.organization ?? ""];
  const call = async (request: Request): Promise<Reply> => {
    const used = token ?? (await freshToken(target));
    token ??= used;
    const reply = await send(target.url, request, used);
    if (reply.status < 300) return reply;
    if (reply.status !== 401) throw refusal(target.url, reply);
    if (given) throw signedOut(target, "The token in TENANTRY_TOKEN is not valid, or no longer.");
    // Of concurrent requests the first one refreshes the token for all.
    token = token === used ? await freshToken(target, used) : token;
    const again = await send(target.url, request, token);
    if (again.status < 300) return again;
    throw again.status === 401
      ? signedOut(target, `Your session at ${target.url} has ended.`)
      : refusal(target.url, again);
  };
  return { target, call };
};
