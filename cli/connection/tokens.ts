import type * as z from "zod";
import type { accessToken, token } from "#contracts/identity-bodies";
import { Failure } from "../failure.ts";
import { isObject, parseJson } from "../json.ts";
import { changeStore, type Profile, withProfile } from "./credentials.ts";
import { refusal, send } from "./request.ts";
import type { Target } from "./target.ts";

export type Token = z.output<typeof token>;

type Refreshed = z.output<typeof accessToken>;

/** The organization that an access token is for; undefined when it cannot be read. */
export const organizationOf = (accessToken: string): string | undefined => {
  const claims = parseJson(Buffer.from(accessToken.split(".")[1] ?? "", "base64url").toString("utf8"));
  return isObject(claims) && typeof claims.org === "string" ? claims.org : undefined;
};

export const signedOut = (target: Target, sentence = `You are not signed in to ${target.url}.`): Failure => {
  const url = target.workspace?.url === target.url || target.profile ? "" : ` --url ${target.url}`;
  return new Failure("signedOut", sentence, { hint: `Sign in: tenantry login${url}` });
};

const refresh = async (target: Target, refreshToken: string): Promise<string> => {
  const reply = await send(target.url, {
    method: "POST",
    path: "/v1/oauth2/refresh",
    json: { refresh_token: refreshToken },
    repeatable: true,
  });
  if (reply.status === 401) throw signedOut(target, `Your session at ${target.url} has ended.`);
  if (reply.status !== 200) throw refusal(target.url, reply);
  return (reply.body as Refreshed).access_token;
};

const switchTo = async (target: Target, organization: string, accessToken: string): Promise<Token> => {
  const reply = await send(
    target.url,
    { method: "POST", path: "/v1/auth/switch", json: { id: organization } },
    accessToken,
  );
  if (reply.status === 200) return reply.body as Token;
  const failure = refusal(target.url, reply);
  throw reply.status === 403
    ? new Failure("refused", `${organization} is not one of your organizations.`, {
        hint: "Which are? tenantry whoami",
      })
    : failure;
};

const renewed = async (target: Target, profile: Profile, refreshToken: string): Promise<Profile> => {
  const fresh = await refresh(target, refreshToken);
  const active = organizationOf(fresh) ?? "";
  const wanted = target.organization ?? active;
  if (active === wanted) return { ...profile, access_tokens: { ...profile.access_tokens, [active]: fresh } };
  const switched = await switchTo(target, wanted, fresh);
  return {
    ...profile,
    refresh_token: switched.refresh_token,
    access_tokens: { ...profile.access_tokens, [wanted]: switched.access_token },
  };
};

/**
 * An access token for the target that is not the `stale` one. Of several processes that need one at the same time, one
 * asks the platform, and the others find its answer.
 */
export const freshToken = async (target: Target, stale?: string): Promise<string> => {
  let found: string | undefined;
  await changeStore(async (store) => {
    const profile = store.profiles[target.name];
    if (profile?.refresh_token === undefined || profile.url !== target.url) throw signedOut(target);
    const stored = profile.access_tokens[target.organization ?? ""];
    if (stored !== undefined && stored !== stale) {
      found = stored;
      return undefined;
    }
    const after = await renewed(target, profile, profile.refresh_token);
    found = Object.entries(after.access_tokens).find(
      ([, each]) => !Object.values(profile.access_tokens).includes(each),
    )?.[1];
    return withProfile(store, target.name, after);
  });
  if (found === undefined) throw signedOut(target);
  return found;
};
