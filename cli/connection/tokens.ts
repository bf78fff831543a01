import type * as z from "zod";
import type { accessToken, token } from "#contracts/identity-bodies";
import { Failure } from "../failure.ts";
import { isObject, parseJson, textOf } from "../json.ts";
import { changeStore, type Profile, withProfile } from "./credentials.ts";
import { refusal, send } from "./request.ts";
import type { Target } from "./target.ts";

export type Token = z.output<typeof token>;

type Refreshed = z.output<typeof accessToken>;

/** The client id of this program for sign-ins in a browser. */
export const CLIENT_ID = "tenantry-cli";

export const isToken = (body: unknown): body is Token =>
  isObject(body) && typeof body.access_token === "string" && typeof body.refresh_token === "string";

/** A claim of an access token; undefined if the token cannot be parsed. */
const claimOf = (accessToken: string, name: string): string | undefined => {
  const claims = parseJson(Buffer.from(accessToken.split(".")[1] ?? "", "base64url").toString("utf8"));
  return isObject(claims) ? textOf(claims[name]) : undefined;
};

/** The organization that an access token is for. */
export const organizationOf = (accessToken: string): string | undefined => claimOf(accessToken, "org");

export const emailOf = (accessToken: string): string | undefined => claimOf(accessToken, "email");

export const signedOut = (target: Target, sentence = `You are not signed in to ${target.url}.`): Failure => {
  const url = target.workspace?.url === target.url || target.profile ? "" : ` --url ${target.url}`;
  return new Failure("signedOut", sentence, { hint: `Sign in: tenantry login${url}` });
};

/** An app's refresh token is replaced at each use; a person's is not. */
const refresh = async (target: Target, { client_id, refresh_token }: Profile): Promise<Refreshed> => {
  const request = client_id
    ? { path: "/v1/oauth2/token", json: { grant_type: "refresh_token", client_id, refresh_token } }
    : { path: "/v1/oauth2/refresh", json: { refresh_token } };
  const reply = await send(target.url, { method: "POST", ...request, repeatable: true });
  const code = isObject(reply.body) ? reply.body.code : undefined;
  if (reply.status === 401 || code === "invalid_grant")
    throw signedOut(target, `Your session at ${target.url} has ended.`);
  if (reply.status !== 200) throw refusal(target.url, reply);
  return reply.body as Refreshed;
};

const switchTo = async (target: Target, organization: string, accessToken: string): Promise<Token> => {
  const reply = await send(
    target.url,
    { method: "POST", path: "/v1/auth/switch", json: { id: organization } },
    accessToken,
  );
  if (reply.status === 200) return reply.body as Token;
  const failure = refusal(target.url, reply);
  const { code } = failure.details;
  throw code === "not_a_member"
    ? new Failure("refused", `${organization} is not one of your organizations.`, {
        code,
        hint: "Which are? tenantry whoami",
      })
    : failure;
};

/** @throws Failure if the token is for another organization than the one that the command is meant for */
const requireOrganization = (accessToken: string, organization: string): string => {
  if (organizationOf(accessToken) === organization) return accessToken;
  throw new Failure(
    "failed",
    `The platform has given a token for another organization than ${organization}. It was not used.`,
  );
};

interface Renewal {
  readonly profile: Profile;
  readonly token: string;
}

/** The session's active organization is the one that was switched to last, here or in another terminal. */
const renewed = async (target: Target, before: Profile): Promise<Renewal> => {
  const fresh = await refresh(target, before);
  const active = organizationOf(fresh.access_token) ?? "";
  const wanted = target.organization ?? active;
  const isApp = before.client_id !== undefined;
  const got: Pick<Token, "access_token"> & { readonly refresh_token?: string | undefined } =
    active === wanted || isApp ? fresh : await switchTo(target, wanted, fresh.access_token);
  const access_tokens = { ...before.access_tokens, [active]: fresh.access_token };
  const token = got.access_token;
  const { [wanted]: place, ...others } = before.places ?? {};
  return {
    profile: {
      ...before,
      refresh_token: got.refresh_token ?? fresh.refresh_token ?? before.refresh_token,
      access_tokens: { ...access_tokens, [organizationOf(token) ?? ""]: token },
      // Another sandbox may have the same id since the last token: it is asked for its name again.
      ...(place?.sandbox && { places: others }),
    },
    token: requireOrganization(token, wanted),
  };
};

/** A sign-in in the browser is for one organization. */
const requireGranted = (target: Target, profile: Profile): void => {
  const { organization } = target;
  if (profile.client_id === undefined || organization === undefined || organization === profile.organization) return;
  throw new Failure(
    "refused",
    `You have signed in for the organization ${profile.organization}, not for ${organization}.`,
    {
      hint: "Sign in for all of yours: tenantry login --password",
    },
  );
};

/** The stored token for the target's organization. A token of another organization is never used in its place. */
export const storedToken = ({ organization = "", profile }: Target): string | undefined => {
  const token = profile?.access_tokens[organization];
  return token !== undefined && organizationOf(token) === organization ? token : undefined;
};

/**
 * An access token for the target's organization other than `stale`. Of several processes that need one at the same time,
 * one asks the platform, and the others use its result.
 */
export const freshToken = async (target: Target, stale?: string): Promise<string> => {
  let found: string | undefined;
  await changeStore(async (store) => {
    const profile = store.profiles[target.name];
    if (profile?.refresh_token === undefined || profile.url !== target.url) throw signedOut(target);
    requireGranted(target, profile);
    const stored = storedToken({ ...target, profile });
    if (stored !== undefined && stored !== stale) {
      found = stored;
      return undefined;
    }
    const after = await renewed(target, profile);
    found = after.token;
    return withProfile(store, target.name, after.profile);
  });
  if (found === undefined) throw signedOut(target);
  return found;
};
