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
  summary: "A device says that it is there",
  description:
    "The heartbeat of one device, which is one session: send it every 20 to 30 seconds, at each change, and with `offline` when " +
    "the page is closed. A device counts for 60 seconds after its last heartbeat, and no longer than its session: after a " +
    "logout it is gone at once. Only heartbeats are signs of life, other requests are not. They take effect in the order in " +
    "which they arrived, and may be repeated. For a page that is being closed: `navigator.sendBeacon` with " +
    "`URLSearchParams` and the access token in `token`.",
  request: {
    maxBodyBytes: 8192,
    bodyTypes: ["application/json", "application/x-www-form-urlencoded"],
    body: z
      .object({
        user: id.describe("The id of the token's user."),
        status: presenceStatus.describe("What the person is on this device."),
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
      description: "The heartbeat was taken.",
      body: z.object({
        user: id,
        status: presenceStatus.describe("What counts for this device now."),
        counts_until: timestamp.describe("Without another heartbeat the device does not count any more from then on."),
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
  summary: "Set a status by hand, or take it back",
  description:
    "Changes what is sent and leaves the rest; null takes one setting back. `reset` takes back `status`, `call_status` and " +
    "`do_not_disturb` before the other settings of the same request are made. A status that was set by hand " +
    "wins over the devices', also while none is there. Only an administrator may do this for somebody else.",
  request: {
    body: z
      .strictObject({
        ...z.object(settings).partial().shape,
        status: settings.status.nullable().optional(),
        call_status: settings.call_status.nullable().optional(),
        vacation: settings.vacation.nullable().optional(),
        reset: z.boolean().optional().describe("Return to automatic."),
        user_id: id.optional().describe("Somebody else; the caller if left out."),
      })
      .meta({ id: "Available" }),
  },
  replies: { 200: { description: "The person's status as it is now.", body: userStatus } },
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
  summary: "A colleague's status",
  description: "Needs the right to read users. A deactivated user is answered like one that does not exist.",
  request: { path: z.object({ user_id: id }) },
  replies: { 200: { description: "The colleague's status.", body: userStatus } },
  faults: ["forbidden", "record_not_found"],
});

export const listUserStatuses = defineContract({
  operation: "listUserStatuses",
  area: "status",
  method: "GET",
  path: "/v1/status/users",
  access: "user",
  summary: "The status of everybody",
  description:
    "All active users of the organization, the caller included, by id. Needs the right to read users. An answer has at most " +
    "5 MB, which is far above 5,000 people; beyond that it is cut, and `after` leads on.",
  request: {
    query: z.object({ after: id.optional().describe("Go on after this user, from an answer that was cut.") }),
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
            .describe("The answer was cut at 5 MB: ask again with `after`, the id of its last user."),
        })
        .meta({ id: "UserStatusesResponse" }),
    },
  },
  faults: ["forbidden"],
});
