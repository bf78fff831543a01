import * as z from "zod";
import { defineContract } from "./contract.ts";

const milliseconds = z.number().nonnegative().describe("How long the check took, in milliseconds.");

const check = z.object({
  ok: z.boolean(),
  milliseconds,
});

export const getStatus = defineContract({
  operation: "getStatus",
  area: "platform",
  method: "GET",
  path: "/v1/status",
  access: "public",
  summary: "Check the platform's health",
  description:
    "Without parameters it uses no other service. With `deep=true` it also asks the database and the signing " +
    "key, and measures the time; if one of them does not answer, the status is 503.",
  request: {
    query: z.object({
      deep: z
        .stringbool()
        .optional()
        .describe("Also check the database and the signing key.")
        .meta({ type: "boolean", examples: [true] }),
    }),
  },
  replies: {
    200: {
      description: "The platform is up.",
      body: z
        .object({
          detail: z.literal("ok"),
          version: z.string().describe("The version of the platform."),
          stage: z.string().describe("The deployment, such as `prod`."),
          checks: z.object({ database: check, signing_key: check }).optional().describe("Only with `deep=true`."),
        })
        .meta({ id: "StatusResponse" }),
    },
  },
  faults: ["dependency_unavailable"],
});

export const getOpenapi = defineContract({
  operation: "getOpenapi",
  area: "platform",
  method: "GET",
  path: "/openapi.json",
  access: "public",
  summary: "This API as an OpenAPI 3.1 document",
  request: {},
  replies: {
    200: { description: "The document.", body: z.looseObject({ openapi: z.string() }).meta({ id: "OpenapiDocument" }) },
  },
  faults: [],
});
