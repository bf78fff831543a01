import { createHash, randomBytes } from "node:crypto";
import { GetScheduleCommand, ResourceNotFoundException, SchedulerClient } from "@aws-sdk/client-scheduler";
import { expect } from "vitest";
import { awsSettings, http, invokeOperation, type User } from "../../platform.ts";
import { codeOf } from "./functions.ts";

export const GROUP = "tenantry-selftest";

/** Scheduler, as an operator. */
export const scheduler = new SchedulerClient(awsSettings);

/** RFC 4648 in lower case, of the SHA-256 of what the schedule is for. */
export const nameOf = ({ organizationId }: Pick<User, "organizationId">, id: string): string => {
  const bytes = createHash("sha256").update(`${organizationId}/item/${id}`).digest();
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => "abcdefghijklmnopqrstuvwxyz234567"[Number.parseInt(five.padEnd(5, "0"), 2)])
    .join("");
};

/** A delivery of Scheduler. Gives its outcome. */
export const deliver = async (
  { organizationId }: Pick<User, "organizationId">,
  { id, revision, at = new Date() }: { id: string; revision: number; at?: Date },
): Promise<string> => {
  const scheduled_time = `${at.toISOString().slice(0, 19)}Z`;
  const event = { organization: organizationId, kind: "item", id, revision: String(revision), scheduled_time };
  return (await invokeOperation<{ outcome: string }>("run-scheduled", event)).outcome;
};

type Body = Readonly<Record<string, unknown>>;

/** A generous limit for a busy machine. */
const patiently = { timeout: 240_000, interval: 50 };

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
      let item = await get(id);
      const present = async () => {
        item = await get(id);
        return item.status;
      };
      await expect.poll(present, patiently).toBe(status);
      return item;
    },
    /** Its schedule, if it has one. */
    schedule: async (id: string) => {
      try {
        return await scheduler.send(new GetScheduleCommand({ GroupName: GROUP, Name: nameOf(user, id) }));
      } catch (error) {
        if (error instanceof ResourceNotFoundException) return undefined;
        throw error;
      }
    },
  };
};

/** Saves a function with this body. */
export const functionRecord = async ({ token }: User, body: string): Promise<{ id: string }> => {
  const file_name = `f_${randomBytes(5).toString("hex")}.py`;
  const record = { name: file_name, file_name, code: codeOf(body) };
  const reply = await http.post("/v1/object/function", { token, body: record, expect: 201 });
  return { id: reply.body.id };
};
