import type * as z from "zod";
import type { loadAuth } from "#contracts/identity";
import { plain } from "../terminal/text.ts";
import { changeStore, type Place, withProfile } from "./credentials.ts";
import { refusal, send } from "./request.ts";
import type { Target } from "./target.ts";

export type Loaded = z.output<(typeof loadAuth)["replies"][200]["body"]>;

/** What the platform says about the organization that a token is for. */
export const placeIn = ({ organization, organizations }: Loaded): Place => {
  const { id, name, is_sandbox, parent_organization_id: parent, sandbox_name } = organization;
  if (!is_sandbox || parent === null || sandbox_name === null) return { id, name };
  const suffix = ` (Sandbox: ${sandbox_name})`;
  const ownName = name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
  const parentName = organizations.find((each) => each.id === parent)?.name ?? ownName;
  return { id, name: parentName, sandbox: { name: sandbox_name, parent } };
};

/** Undefined if the token is not accepted. */
export const load = async (target: Target, token: string): Promise<Loaded | undefined> => {
  const reply = await send(target.url, { method: "GET", path: "/v1/auth/load", repeatable: true }, token);
  if (reply.status === 401) return undefined;
  if (reply.status !== 200) throw refusal(target.url, reply);
  return reply.body as Loaded;
};

/** Keeps the names, if the profile is still there. */
export const rememberPlace = async (target: Target, place: Place): Promise<void> => {
  await changeStore((store) => {
    const profile = store.profiles[target.name];
    if (profile?.url !== target.url) return Promise.resolve(undefined);
    return withProfile(store, target.name, { ...profile, places: { ...profile.places, [place.id]: place } });
  });
};

/** Forgets an organization that is gone, with its token. */
export const forgetPlace = async (target: Target, id: string): Promise<void> => {
  await changeStore((store) => {
    const profile = store.profiles[target.name];
    if (!profile) return store;
    const { [id]: _place, ...places } = profile.places ?? {};
    const { [id]: _token, ...access_tokens } = profile.access_tokens;
    return withProfile(store, target.name, { ...profile, places, access_tokens });
  });
};

/** The sandbox of that name, if the profile has worked in it. */
export const knownSandbox = ({ profile, organization, sandbox }: Target): Place | undefined =>
  Object.values(profile?.places ?? {}).find(
    (place) => place.sandbox?.name === sandbox && place.sandbox?.parent === organization,
  );

/** `sandbox staging of Acme`, or `Acme`. */
export const labelOf = ({ name, sandbox }: Place): string =>
  sandbox === undefined ? plain(name) : `sandbox ${plain(sandbox.name)} of ${plain(name)}`;
