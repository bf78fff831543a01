import * as z from "zod";
import { defineContract } from "./contract.ts";
import { newApiName, validationRule } from "./object-schema.ts";

/** Failing records that a trial names. */
export const MAX_TRIAL_IDS = 20;

const operations = z
  .array(z.enum(["create", "update", "delete"]))
  .min(1)
  .max(3)
  .describe("The operations that it applies to. By default `create` and `update`.");

const settings = {
  name: z.string().min(1).max(255).describe("The rule's label."),
  api_name: newApiName.optional().describe("The rule's key. By default it is made from `name`; it cannot be changed."),
  description: z.string().max(4_000).optional().describe("What the rule is for."),
  active: z.boolean().optional().describe("Only active rules are checked. By default true."),
  on: operations.optional(),
  condition: z
    .string()
    .min(1)
    .describe("CEL over `record`, `old`, `user` and `now`, at most 2,000 characters. True refuses the record.")
    .meta({ examples: ["record.amount > 1000 && record.due_date == null"] }),
  error_message: z.string().min(1).max(500).describe("The message for the caller."),
  error_field: z.string().min(1).max(80).optional().describe("The field that the message is about."),
};

export const validationRuleRequest = z.strictObject(settings).meta({ id: "ValidationRuleRequest" });

export const validationRuleUpdateRequest = z
  .strictObject({ ...settings, error_field: settings.error_field.nullable() })
  .partial()
  .meta({ id: "ValidationRuleUpdateRequest" });

const trial = z
  .object({
    dry_run: z.literal(true),
    checked: z.int().describe("How many stored records were checked."),
    failing: z.int().describe("How many of them the rule would refuse."),
    ids: z.array(z.string()).max(MAX_TRIAL_IDS).describe(`The first of them, at most ${MAX_TRIAL_IDS}.`),
    complete: z.boolean().describe("False if the check ended early, by its limits of records and time."),
  })
  .meta({ id: "ValidationRuleTrial" });

const query = z.object({
  dry_run: z
    .enum(["true", "false"])
    .default("false")
    .transform((text) => text === "true")
    .describe("Save nothing, and tell how many stored records the rule would refuse."),
});

const object_id = z.string().min(1).max(200).describe("The object's api_name or id.");
const rule_api_name = z.string().min(1).max(200).describe("The rule's api_name.");

const language =
  "A condition that does not fit the object is a 422 with line and column. The language, its functions and limits are in docs/validation-rules.md.";

export const createValidationRule = defineContract({
  operation: "createValidationRule",
  area: "schema",
  method: "POST",
  path: "/v1/schema/{object_id}/validation-rule",
  access: "admin",
  summary: "Add a validation rule to an object",
  description: `From the next request on, writes of records for which the condition is true are refused. Stored records stay as they are. ${language}`,
  request: { path: z.object({ object_id }), query, body: validationRuleRequest },
  replies: { 200: { description: "The rule, or its trial.", body: z.union([trial, validationRule]) } },
  faults: ["object_not_found", "rule_exists", "too_many_queries"],
  idempotent: true,
});

export const updateValidationRule = defineContract({
  operation: "updateValidationRule",
  area: "schema",
  method: "PATCH",
  path: "/v1/schema/{object_id}/validation-rule/{rule_api_name}",
  access: "admin",
  summary: "Change a validation rule",
  description: `Changes what is given; null as \`error_field\` removes it. ${language}`,
  request: { path: z.object({ object_id, rule_api_name }), query, body: validationRuleUpdateRequest },
  replies: { 200: { description: "The rule, or its trial.", body: z.union([trial, validationRule]) } },
  faults: ["object_not_found", "rule_not_found", "too_many_queries"],
});

export const deleteValidationRule = defineContract({
  operation: "deleteValidationRule",
  area: "schema",
  method: "DELETE",
  path: "/v1/schema/{object_id}/validation-rule/{rule_api_name}",
  access: "admin",
  summary: "Delete a validation rule",
  description: "From the next request on it is not checked.",
  request: { path: z.object({ object_id, rule_api_name }) },
  replies: {
    200: {
      description: "It is gone.",
      body: z
        .object({ deleted: z.string().describe("The api_name of the rule.") })
        .meta({ id: "DeletedValidationRule" }),
    },
  },
  faults: ["object_not_found", "rule_not_found"],
});
