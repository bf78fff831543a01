import * as z from "zod";
import { defineContract } from "./contract.ts";

const page = { body: z.string(), contentType: "text/html; charset=utf-8" } as const;

const shared = {
  area: "public",
  access: "public",
  page: true,
  path: "/v1/public/unsubscribe/{token}",
  faults: ["message_not_found", "too_many_attempts", "database_unavailable"],
} as const;

const path = z.object({ token: z.string().min(1).max(300).describe("From the message. It names nobody.") });

export const showUnsubscribe = defineContract({
  ...shared,
  operation: "showUnsubscribe",
  method: "GET",
  summary: "The page that asks whether to unsubscribe",
  description: "It changes nothing, because programs that check mail open links too.",
  request: { path },
  replies: { 200: { description: "A form with one button.", ...page } },
});

export const unsubscribe = defineContract({
  ...shared,
  operation: "unsubscribe",
  method: "POST",
  summary: "Unsubscribe with one click",
  description:
    "What mail programs send for `List-Unsubscribe-Post` (RFC 8058), and the form of the page: " +
    "`List-Unsubscribe=One-Click`. From then on the address gets no message of the category `list` from this organization. " +
    "It needs no cookie and sets none.",
  request: {
    path,
    rawBody: {
      "application/x-www-form-urlencoded": "`List-Unsubscribe=One-Click`.",
      "multipart/form-data": "The same as a part.",
    },
    maxBodyBytes: 4_096,
  },
  replies: { 200: { description: "The address is unsubscribed, also if it was before.", ...page } },
});
