import * as z from "zod";
import { objectName } from "./common.ts";
import { defineContract } from "./contract.ts";
import {
  field,
  fieldCreateRequest,
  fieldUpdateRequest,
  objectSchema,
  schemaCreateRequest,
  schemaUpdateRequest,
} from "./object-schema.ts";

const force = z.object({
  force: z
    .enum(["true", "false"])
    .default("false")
    .transform((text) => text === "true")
    .describe("Delete it although other parts of the organization need it."),
});

const partOf = (what: string) => z.string().min(1).max(200).describe(what);

export const listSchemas = defineContract({
  operation: "listSchemas",
  area: "schema",
  method: "GET",
  path: "/v1/schema",
  access: "user",
  summary: "Describe every object",
  description:
    "The objects of the organization, standard and custom, by api_name. Members get the objects and fields that " +
    "their permissions allow them to read. The objects come in the order of their api_names. If they do not all fit " +
    "into one reply, `X-Truncated` is `true` and `Link` leads to the rest.",
  request: {
    query: z.object({
      after: objectName.optional().describe("Only objects whose api_name comes after this one in the alphabet."),
    }),
  },
  replies: {
    200: {
      description: "The objects that the caller may read, by api_name.",
      body: z.record(z.string(), objectSchema).meta({ id: "ObjectSchemas" }),
      headers: {
        "X-Truncated": "`true` if there are more objects than fit into a reply.",
        Link: 'The address of the next objects (`rel="next"`), if there are any.',
      },
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

export const createSchema = defineContract({
  operation: "createSchema",
  area: "schema",
  method: "POST",
  path: "/v1/schema",
  access: "admin",
  summary: "Create an object",
  description:
    "Its fields can come along or be added later. The next request sees the object everywhere. An object that was " +
    "deleted and is created again under the same api_name has its old records.",
  request: { body: schemaCreateRequest },
  replies: { 201: { description: "The object.", body: objectSchema } },
  faults: ["schema_exists", "values_do_not_fit", "duplicate_value", "too_many_queries"],
  idempotent: true,
});

export const updateSchema = defineContract({
  operation: "updateSchema",
  area: "schema",
  method: "PATCH",
  path: "/v1/schema",
  access: "admin",
  summary: "Change an object",
  description: "Changes what is given. The api_name stays; fields and rules have routes of their own.",
  request: { body: schemaUpdateRequest },
  replies: { 204: { description: "It is changed." } },
  faults: ["object_not_found"],
});

export const deleteSchema = defineContract({
  operation: "deleteSchema",
  area: "schema",
  method: "DELETE",
  // OpenAPI allows one name for the parameter of a path, and GET calls it so.
  path: "/v1/schema/{object}",
  access: "admin",
  summary: "Delete an object",
  description:
    "Refused with 409 and a list while it has records or other objects point to it, unless `force=true`. Its " +
    "records stay in the database and are no longer reachable. Standard objects answer 400.",
  request: { path: z.object({ object: partOf("The object's api_name or id.") }), query: force },
  replies: {
    200: {
      description: "It is gone.",
      body: z.object({ deleted: z.string().describe("The api_name of the object.") }).meta({ id: "DeletedSchema" }),
    },
  },
  faults: ["standard_object", "object_not_found", "in_use"],
});

export const createField = defineContract({
  operation: "createField",
  area: "schema",
  method: "POST",
  path: "/v1/schema/field",
  access: "admin",
  summary: "Add a field to an object",
  description:
    "Records that exist get no value; `default` and `required` count for records that are written from now on. " +
    "Where the database holds values under this name, from a field that was deleted, they must fit. A field that " +
    "validation rules read cannot be encrypted (409).",
  request: { body: fieldCreateRequest },
  replies: { 200: { description: "The field.", body: field } },
  faults: ["object_not_found", "field_exists", "values_do_not_fit", "duplicate_value", "in_use", "too_many_queries"],
  idempotent: true,
});

export const updateField = defineContract({
  operation: "updateField",
  area: "schema",
  method: "PATCH",
  path: "/v1/schema/field",
  access: "admin",
  summary: "Change a field",
  description:
    "Changes what is given. Another type, format or target is refused with 409 while records hold values that do " +
    "not fit, and `unique` while records hold equal values. `encrypted` changes only while no record holds a value " +
    "and no validation rule reads the field, and so do the format and the index of an encrypted field. Apps " +
    "without the scope `sensitive:read` cannot change what values a sensitive field accepts, nor set `sensitive` to " +
    "false (403).",
  request: { body: fieldUpdateRequest },
  replies: { 200: { description: "The field.", body: field } },
  faults: [
    "standard_object",
    "object_not_found",
    "field_not_found",
    "values_do_not_fit",
    "duplicate_value",
    "in_use",
    "too_many_queries",
  ],
});

export const deleteField = defineContract({
  operation: "deleteField",
  area: "schema",
  method: "DELETE",
  path: "/v1/schema/{object_id}/{field_name}",
  access: "admin",
  summary: "Delete a field",
  description:
    "Refused with 409 and a list while validation rules use it, unless `force=true`. Its values stay in the " +
    "database and are no longer returned.",
  request: {
    path: z.object({
      object_id: partOf("The object's api_name or id."),
      field_name: partOf("The field's api_name."),
    }),
    query: force,
  },
  replies: {
    200: {
      description: "It is gone.",
      body: z.object({ deleted: z.string().describe("The api_name of the field.") }).meta({ id: "DeletedField" }),
    },
  },
  faults: ["standard_object", "object_not_found", "field_not_found", "in_use"],
});

const names = (what: string) => z.array(z.string()).describe(what);

export const generateSchemas = defineContract({
  operation: "generateSchemas",
  area: "schema",
  method: "POST",
  path: "/v1/schema/generate/",
  access: "admin",
  summary: "Complete the model",
  description:
    "Creates standard objects that are missing, adds standard fields that are missing, and describes collections " +
    "without an object from a sample of 1,000 records. What administrators have added or changed stays.",
  request: {},
  replies: {
    200: {
      description: "The objects by what happened to them.",
      body: z
        .object({
          created: names("Objects that were missing."),
          updated: names("Objects that got fields."),
          unchanged: names("All other objects."),
        })
        .meta({ id: "GeneratedSchemas" }),
    },
  },
  faults: [],
});
