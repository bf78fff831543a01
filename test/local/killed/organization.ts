import { randomBytes } from "node:crypto";
import type { KillablePlatform } from "./platform.ts";

export interface Organization {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  /** Of the owner. */
  readonly user: string;
}

/** A new organization of a platform that a test kills. */
export const register = async (platform: KillablePlatform): Promise<Organization> => {
  const email = `owner@${randomBytes(6).toString("hex")}.example.test`;
  const names = { organization_name: "Killed", first_name: "Olga", last_name: "Owner" };
  const body = { ...names, email, password: "correct horse battery staple" };
  const reply = await platform.http().post("/v1/register", { body, expect: 201 });
  const { organization_id: id, access_token: token } = reply.body;
  const { sub: user } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  return { id, email, token, user };
};

/** Saves a record as the owner, and gives its id. */
export const save = async (
  platform: KillablePlatform,
  { token }: Organization,
  object: string,
  body: object,
): Promise<string> => (await platform.http().post(`/v1/object/${object}`, { token, body, expect: 201 })).body.id;
