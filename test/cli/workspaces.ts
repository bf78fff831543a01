import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { http, platformUrl, type User } from "../platform.ts";
import { sandboxSteps } from "../setup/sandboxes.ts";
import type { Machine } from "./command.ts";

/** A folder of that machine with a `tenantry.json`. */
export const workspace = async (device: Machine, name: string, settings: object = {}): Promise<string> => {
  const folder = join(device.home, name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "tenantry.json"), JSON.stringify({ url: platformUrl, ...settings }));
  return folder;
};

export const settingsOf = async (folder: string): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(join(folder, "tenantry.json"), "utf8"));

const steps = sandboxSteps(http);

/** A sandbox that can be used. Gives its id. */
export const createSandbox = async ({ token }: User, name: string): Promise<string> => {
  const { id, status } = await steps.create(token, name);
  if (status !== "active") throw new Error(`${name} is ${status}.`);
  return id;
};

export const refreshSandbox = ({ token }: User, name: string) => steps.refresh(token, name);

/** Until there is none of that name. */
export const deleteSandbox = ({ token }: User, name: string) => steps.remove(token, name);

/** The names of the leads in an organization, as its owner sees them. */
export const leadsIn = async ({ token }: User, organization: string): Promise<string[]> => {
  const switched = await http.post("/v1/auth/switch", { token, body: { id: organization }, expect: 200 });
  const query = { query: "SELECT name FROM lead ORDER BY name", bypass_cache: true };
  const { body } = await http.post("/v1/query", { token: switched.body.access_token, body: query, expect: 200 });
  return body.records.map(({ name }: { name: string }) => name);
};

/** Makes the next command of that machine ask for tokens, as after 15 minutes. */
export const expireTokens = async (device: Machine): Promise<void> => {
  const stored = await device.credentials();
  const profiles = Object.fromEntries(
    Object.entries(stored.profiles).map(([name, profile]) => [name, { ...profile, access_tokens: {} }]),
  );
  await writeFile(device.credentialsPath, JSON.stringify({ ...stored, profiles }));
};
