import { chmod, mkdir, open, readFile, rename } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { Failure } from "../failure.ts";
import { isObject, parseJson, textOf } from "../json.ts";
import { withLock } from "./lock.ts";

/** What is known of an organization that a profile has worked in. */
export interface Place {
  readonly id: string;
  /** The display name; of a sandbox, its parent's. */
  readonly name: string;
  /** Set for a sandbox. */
  readonly sandbox?: { readonly name: string; readonly parent: string } | undefined;
}

/** One platform and the person who is signed in to it. The tokens are sent to this address only. */
export interface Profile {
  readonly url: string;
  readonly email?: string | undefined;
  /** The default organization, for commands without an option or a workspace. */
  readonly organization?: string | undefined;
  readonly refresh_token?: string | undefined;
  /** Set if the person signed in in a browser. The refresh token is then an app's. */
  readonly client_id?: string | undefined;
  /** Organization → access token. An access token is for one organization. */
  readonly access_tokens: Readonly<Record<string, string>>;
  /** Organization → its names, so that messages and `tenantry.json` can use them without a request. */
  readonly places?: Readonly<Record<string, Place>>;
}

export interface Store {
  readonly current: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

const directory = (): string => join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "tenantry");

const credentialsPath = (): string => join(directory(), "credentials.json");

const placeOf = (id: string, value: unknown): [string, Place][] => {
  const name = isObject(value) ? textOf(value.name) : undefined;
  if (!isObject(value) || name === undefined) return [];
  if (!isObject(value.sandbox)) return [[id, { id, name }]];
  const sandbox = { name: String(value.sandbox.name), parent: String(value.sandbox.parent) };
  return [[id, { id, name, sandbox }]];
};

const profileOf = (value: unknown): Profile | undefined => {
  if (!isObject(value)) return undefined;
  const url = textOf(value.url);
  if (url === undefined) return undefined;
  const tokens = isObject(value.access_tokens) ? Object.entries(value.access_tokens) : [];
  return {
    url,
    email: textOf(value.email),
    organization: textOf(value.organization),
    refresh_token: textOf(value.refresh_token),
    client_id: textOf(value.client_id),
    access_tokens: Object.fromEntries(
      tokens.flatMap(([organization, token]) => (typeof token === "string" ? [[organization, token]] : [])),
    ),
    places: Object.fromEntries(
      Object.entries(isObject(value.places) ? value.places : {}).flatMap(([id, place]) => placeOf(id, place)),
    ),
  };
};

const storeOf = (text: string): Store => {
  const content = parseJson(text);
  if (!isObject(content) || !isObject(content.profiles)) {
    throw new Failure("failed", `${credentialsPath()} is damaged.`, {
      hint: "Remove it and sign in again: tenantry login",
    });
  }
  const profiles = Object.entries(content.profiles).flatMap(([name, value]) => {
    const profile = profileOf(value);
    return profile ? [[name, profile] as const] : [];
  });
  return { current: textOf(content.current) ?? "default", profiles: Object.fromEntries(profiles) };
};

export const readStore = async (): Promise<Store> => {
  try {
    return storeOf(await readFile(credentialsPath(), "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      return { current: "default", profiles: {} };
    throw error;
  }
};

/** Replaces the file atomically, so that readers and crashes leave a complete file. */
const write = async (store: Store): Promise<void> => {
  const path = credentialsPath();
  const unfinished = `${path}.${process.pid}.next`;
  const file = await open(unfinished, "w", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(store, undefined, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
};

/** Changes the store under a lock. Undefined from `change` leaves it unchanged. Gives the resulting store. */
export const changeStore = async (change: (store: Store) => Promise<Store | undefined> | Store): Promise<Store> => {
  await mkdir(directory(), { recursive: true, mode: 0o700 });
  await chmod(directory(), 0o700);
  return withLock(`${credentialsPath()}.lock`, async () => {
    const before = await readStore();
    const after = await change(before);
    if (after === undefined) return before;
    await write(after);
    return after;
  });
};

/** The store with one profile added or replaced. */
export const withProfile = (store: Store, name: string, profile: Profile): Store => ({
  ...store,
  profiles: { ...store.profiles, [name]: profile },
});
