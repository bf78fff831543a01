import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { http, type User } from "../../platform.ts";
import { codeOf } from "./functions.ts";

type Body = Readonly<Record<string, unknown>>;

/** A generous limit for a busy machine. */
const patiently = { timeout: 60_000, interval: 50 };

/** Scheduled items of an organization, through the API. */
export const scheduledItems = (user: User) => {
  const { token } = user;
  const get = async (id: string) => (await http.get(`/v1/object/scheduled_item/${id}`, { token, expect: 200 })).body;
  return {
    get,
    add: async (body: Body) =>
      (await http.post("/v1/object/scheduled_item", { token, body: { name: "Item", ...body }, expect: 201 })).body,
    change: async (id: string, body: Body) =>
      (await http.patch(`/v1/object/scheduled_item/${id}`, { token, body, expect: 200 })).body,
    remove: (id: string) => http.delete(`/v1/object/scheduled_item/${id}`, { token, expect: 200 }),
    /** The item once it has the status. */
    become: async (id: string, status: string) => {
      await expect.poll(async () => (await get(id)).status, patiently).toBe(status);
      return get(id);
    },
    logs: async () => (await http.get("/v1/object/log?limit=100", { token, expect: 200 })).body.records ?? [],
  };
};

/** Saves a function with this body. */
export const functionRecord = async ({ token }: User, body: string): Promise<{ id: string }> => {
  const file_name = `f_${randomBytes(5).toString("hex")}.py`;
  const record = { name: file_name, file_name, code: codeOf(body) };
  const reply = await http.post("/v1/object/function", { token, body: record, expect: 201 });
  return { id: reply.body.id };
};
