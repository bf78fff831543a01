import { isDeepStrictEqual } from "node:util";
import { MAX_FIELDS } from "#contracts/object-schema";
import type { Issue } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { checkField, type Known } from "../check-field.ts";
import { refuseRulesOver, refuseUnfitChange } from "../fields.ts";
import type { Field, ObjectSchema } from "../object-schema.ts";
import { prepareCollection } from "../objects.ts";
import { refuseOtherRights } from "../rights-fields.ts";
import type { OpaqueFields } from "../rules/field-types.ts";
import { refuseUnfitRecords } from "../stored-values.ts";
import { withChoices, withListValues } from "../value-lists.ts";
import { fail, newValidationReport, type ValidationContext } from "../values/validation.ts";
import { ownFields } from "./merge.ts";

/** An object of the target before and after the push. `before` is null for a new one. */
export interface ObjectChange {
  readonly before: ObjectSchema | null;
  readonly after: ObjectSchema;
}

interface FieldChange {
  readonly before: Field | undefined;
  readonly after: Field;
}

const changedFields = ({ before, after }: ObjectChange): FieldChange[] =>
  ownFields(after).flatMap((field) => {
    const { api_name } = field;
    const stored =
      before !== null && Object.hasOwn(before.properties, api_name) ? before.properties[api_name] : undefined;
    return isDeepStrictEqual(stored, field) ? [] : [{ before: stored, after: field }];
  });

const newContext = (at: ValidationContext["at"]): ValidationContext => ({
  report: newValidationReport(),
  at,
  secret: false,
});

const ruleIssues = async ({ before, after }: ObjectChange, opaque: OpaqueFields): Promise<Issue[]> => {
  const { api_name: object, validation_rules } = after;
  const changed = validation_rules.filter(
    (rule) => !before?.validation_rules.some((one) => isDeepStrictEqual(one, rule)),
  );
  if (changed.length === 0) return [];
  // Loaded when it is needed: its libraries take some 40 ms.
  const { conditionIssues, ruleLimits } = await import("../rules/rules.ts");
  const issues = changed
    .filter(({ active }) => active)
    .flatMap(({ api_name, condition }) =>
      conditionIssues(after, opaque, condition, ["body", "schemas", object, "validation_rules", api_name, "condition"]),
    );
  if (validation_rules.length <= ruleLimits.perObject) return issues;
  const msg = `An object has at most ${ruleLimits.perObject} validation rules.`;
  return [...issues, { loc: ["body", "schemas", object, "validation_rules"], msg, type: "too_many_rules" }];
};

/** What is wrong with the changed object, without looking at records. `known`: the model after the push. */
export const objectIssues = async (change: ObjectChange, known: Known, opaque: OpaqueFields): Promise<Issue[]> => {
  const { after } = change;
  const issues = await ruleIssues(change, opaque);
  for (const { after: field } of changedFields(change)) {
    // One report a field, because a field with issues is not checked further.
    const context = newContext(["body", "schemas", after.api_name, "fields", field.api_name]);
    checkField(field, context, known);
    issues.push(...context.report.issues);
  }
  if (ownFields(after).length > MAX_FIELDS) {
    const context = newContext(["body", "schemas", after.api_name, "fields"]);
    fail(context, "too_many_fields", `An object has at most ${MAX_FIELDS} fields.`);
    issues.push(...context.report.issues);
  }
  return issues;
};

/**
 * Refuses a change of the object that its stored records, its rules or the platform do not permit. Raises
 * `standard_object`, `values_do_not_fit`, `duplicate_value`, `in_use` and `validation_failed`.
 */
export const refuseUnfitObject = async (tenant: Tenant, change: ObjectChange, { lists }: Known): Promise<void> => {
  const { before, after } = change;
  if (before === null) {
    await prepareCollection(tenant, withListValues(after, lists));
    return;
  }
  const fields = changedFields(change);
  for (const { before: stored, after: field } of fields) {
    refuseRulesOver(after, field);
    if (stored === undefined) continue;
    refuseOtherRights(after.api_name, stored, field);
    await refuseUnfitChange(tenant, before, stored, withChoices(field, lists));
  }
  const added = fields.filter((field) => field.before === undefined).map((field) => withChoices(field.after, lists));
  if (added.length > 0) await refuseUnfitRecords(tenant, after.api_name, added);
};
