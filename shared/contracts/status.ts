import * as z from "zod";
import { id, timestamp } from "./common.ts";
import { defineContract } from "./contract.ts";
import { presenceStatus, settings, userStatus } from "./status-bodies.ts";

export const reportStatus = defineContract({
  operation: "reportStatus",
  area: "status",
  method: "POST",
  path: "/v1/status/v1/user/status",
  access: "beacon",
  summary: "Report the presence of a device",
  description:
    "The heartbeat of one device, which is one session. Send it every 20 to 30 seconds, at each change, and with " +
    "`offline` when the page is closed. A device is present for 60 seconds after its last heartbeat, but not " +
    "longer than its session; a logout ends it at once. Other requests do not count as heartbeats. Heartbeats " +
    "take effect in the order in which they arrived, and may be repeated. For a page that is being closed use " +
    "`navigator.sendBeacon` with `URLSearchParams` and the access token in `token`.",
  request: {
    maxBodyBytes: 8192,
    bodyTypes: ["application/json", "application/x-www-form-urlencoded"],
    body: z
      .object({
        user: id.describe("The id of the token's user."),
        status: presenceStatus.describe("The person's status on this device."),
        token: z
          .string()
          .max(8192)
          .optional()
          .describe("The access token, for callers that cannot set the Authorization header."),
      })
      .meta({ id: "UserStatus" }),
  },
  replies: {
    200: {
      description: "The heartbeat was accepted.",
      body: z.object({
        user: id,
        status: presenceStatus.describe("The current status of this device."),
        counts_until: timestamp.describe("When the device becomes absent without another heartbeat."),
      }),
    },
  },
  faults: ["forbidden"],
});

export const setAvailability = defineContract({
  operation: "setAvailability",
  area: "status",
  method: "POST",
  path: "/v1/status/availability",
  access: "user",
  summary: "Set or reset one's status",
  description:
    "Changes the settings that are sent; null removes one. `reset` removes `status`, `call_status` and " +
    "`do_not_disturb` before the other settings of the request are applied. A status that was set has priority " +
    "over the devices', also if none is present. Only administrators may change somebody else's.",
  request: {
    body: z
      .strictObject({
        ...z.object(settings).partial().shape,
        status: settings.status.nullable().optional(),
        call_status: settings.call_status.nullable().optional(),
        vacation: settings.vacation.nullable().optional(),
        reset: z.boolean().optional().describe("Return to the automatic status."),
        user_id: id.optional().describe("A user; by default the caller."),
      })
      .meta({ id: "Available" }),
  },
  replies: { 200: { description: "The person's new status.", body: userStatus } },
  faults: ["forbidden", "record_not_found"],
});

export const getMyStatus = defineContract({
  operation: "getMyStatus",
  area: "status",
  method: "GET",
  path: "/v1/status/me",
  access: "user",
  summary: "One's own status",
  request: {},
  replies: { 200: { description: "The caller's status.", body: userStatus } },
  faults: [],
});

export const getUserStatus = defineContract({
  operation: "getUserStatus",
  area: "status",
  method: "GET",
  path: "/v1/status/user/{user_id}",
  access: "user",
  summary: "A user's status",
  description:
    "Needs the right to read users. The reply for a deactivated user is the same as for one that does not exist.",
  request: { path: z.object({ user_id: id }) },
  replies: { 200: { description: "The user's status.", body: userStatus } },
  faults: ["forbidden", "record_not_found"],
});

export const listUserStatuses = defineContract({
  operation: "listUserStatuses",
  area: "status",
  method: "GET",
  path: "/v1/status/users",
  access: "user",
  summary: "The status of all users",
  description:
    "All active users of the organization, including the caller, by id. Needs the right to read users. A reply " +
    "has at most 5 MB, which is enough for 5,000 people. A larger one is cut, and continues with `after`.",
  request: {
    query: z.object({ after: id.optional().describe("Continue after this user, from a reply that was cut.") }),
  },
  replies: {
    200: {
      description: "The statuses.",
      body: z
        .object({
          users: z.array(userStatus),
          truncated: z
            .literal(true)
            .optional()
            .describe("The reply was cut at 5 MB. Continue with `after`, the id of its last user."),
        })
        .meta({ id: "UserStatusesResponse" }),
    },
  },
  faults: ["forbidden"],
});
