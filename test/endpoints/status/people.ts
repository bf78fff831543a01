import type { MongoClient } from "mongodb";
import { http, type User } from "../../platform.ts";
import { claimsOf } from "../../setup/forge-token.ts";

export type Status = "online" | "busy" | "away" | "offline";

export const HEARTBEAT = "/v1/status/v1/user/status";

export const beat = (user: User, status: Status = "online") =>
  http.post(HEARTBEAT, { token: user.token, body: { user: user.id, status }, expect: 200 });

export const me = async (user: User) => (await http.get("/v1/status/me", { token: user.token, expect: 200 })).body;

export const seen = (by: User, id: string) => http.get(`/v1/status/user/${id}`, { token: by.token });

export const set = (user: User, body: object) => http.post("/v1/status/availability", { token: user.token, body });

const sessionOf = (user: User): string => String(claimsOf(user.token).sid);

const presences = (mongo: MongoClient, user: User) =>
  mongo.db(user.organizationId).collection<{ _id: string }>("user_presence");

/** Moves a device's last heartbeat into the past, instead of waiting. */
export const wait = async (mongo: MongoClient, user: User, milliseconds: number): Promise<void> => {
  const path = `devices.${sessionOf(user)}.at`;
  const past = { $subtract: [`$${path}`, milliseconds] };
  await presences(mongo, user).updateOne({ _id: user.id }, [{ $set: { [path]: past } }]);
};

/** The stored devices of a person: session id → last heartbeat. */
export const storedDevices = async (mongo: MongoClient, user: User): Promise<string[]> => {
  const found = await presences(mongo, user).findOne({ _id: user.id });
  return Object.keys((found as { devices?: object } | null)?.devices ?? {});
};
