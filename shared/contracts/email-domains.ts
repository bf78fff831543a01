import * as z from "zod";
import { timestamp } from "./common.ts";
import { defineContract } from "./contract.ts";

const name = z.string().trim().min(1).max(253).describe("A domain, such as example.com.");

const senderDomain = z
  .object({
    domain: z.string().describe("In lower case and ASCII."),
    status: z.enum(["pending", "verified"]),
    record: z
      .object({ type: z.literal("TXT"), name: z.string(), value: z.string() })
      .describe("What the DNS of the domain has to contain, as long as the domain is used."),
    problem: z.string().optional().describe("What the last check has found instead."),
    created_date: timestamp,
    verified_date: timestamp.optional().describe("When it was proven first."),
    checked_date: timestamp.optional().describe("When it was checked last."),
  })
  .meta({ id: "SenderDomain" });

const shared = { area: "email-services", access: "admin" } as const;

export const listSenderDomains = defineContract({
  ...shared,
  operation: "listSenderDomains",
  method: "GET",
  path: "/v1/email-services/domains",
  summary: "List the domains of senders",
  request: {},
  replies: {
    200: {
      description: "The domains of the organization, by name.",
      body: z.object({ domains: z.array(senderDomain) }).meta({ id: "SenderDomains" }),
    },
  },
  faults: [],
});

export const addSenderDomain = defineContract({
  ...shared,
  operation: "addSenderDomain",
  method: "POST",
  path: "/v1/email-services/domains",
  summary: "Add a domain of senders",
  description:
    "Mail that leaves the platform has a sender of a domain that the organization has proven to be its own, by a TXT " +
    "record. Adding a domain again answers the same record. An organization has at most 50; a sandbox has none, because " +
    "nothing leaves it.",
  request: { body: z.strictObject({ domain: name }).meta({ id: "AddSenderDomainRequest" }) },
  replies: {
    200: { description: "It was added before.", body: senderDomain },
    201: { description: "Added. Add the record to the DNS, then verify it.", body: senderDomain },
  },
  faults: [],
});

const path = z.object({ domain: name });

export const verifySenderDomain = defineContract({
  ...shared,
  operation: "verifySenderDomain",
  method: "POST",
  path: "/v1/email-services/domains/{domain}/verify",
  summary: "Check a domain of senders",
  description:
    "Asks the DNS for the record. A domain that was proven and has no record any more becomes pending. One organization " +
    "holds a domain at a time: another one that proves it gets it only when the record of the first is gone.",
  request: { path },
  replies: { 200: { description: "The domain as it is now.", body: senderDomain } },
  faults: ["domain_not_found", "domain_taken", "dependency_unavailable"],
});

export const deleteSenderDomain = defineContract({
  ...shared,
  operation: "deleteSenderDomain",
  method: "DELETE",
  path: "/v1/email-services/domains/{domain}",
  summary: "Remove a domain of senders",
  description: "From then on nothing is sent in its name, scheduled messages neither.",
  request: { path },
  replies: {
    200: {
      description: "Removed.",
      body: z.object({ deleted: z.array(z.string()) }).meta({ id: "RemovedSenderDomain" }),
    },
  },
  faults: ["domain_not_found"],
});
