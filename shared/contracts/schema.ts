import * as z from "zod";
import { objectName } from "./common.ts";
import { defineContract } from "./contract.ts";
import { objectSchema } from "./object-schema.ts";

export const listSchemas = defineContract({
  operation: "listSchemas",
  area: "schema",
  method: "GET",
  path: "/v1/schema",
  access: "user",
  summary: "Describe every object",
  description:
    "The objects of the organization, standard and custom, by api_name. Members get the objects and fields that " +
    "their permissions allow them to read.",
  request: {},
  replies: {
    200: {
      description: "The objects that the caller may read, by api_name.",
      body: z.record(z.string(), objectSchema).meta({ id: "ObjectSchemas" }),
    },
  },
  faults: [],
});

export const getSchema = defineContract({
  operation: "getSchema",
  area: "schema",
  method: "GET",
  path: "/v1/schema/{object}",
  access: "user",
  summary: "Describe one object",
  description:
    "The object's fields, formats and rules, by its api_name or id. Fields that the caller may not read are left " +
    "out. An unreadable object is a 403.",
  request: {
    path: z.object({
      object: objectName.max(200).describe("The object's api_name, case-insensitive, or its id."),
    }),
  },
  replies: { 200: { description: "The object.", body: objectSchema } },
  faults: ["forbidden", "object_not_found"],
});
