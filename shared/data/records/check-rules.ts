import { readHolderOf } from "#shared/data/access/access";
import type { OpaqueFields, RuleFailure, RuleUser } from "#shared/data/schema/rules/rules";
import { hasRules, type ObjectSchema, type RuleOperation } from "#shared/data/schema/schema";
import { elapsedMillis, now } from "#shared/foundation/clock";
import type { Issue } from "#shared/foundation/faults";
import type { RecordChange } from "./recorded-changes.ts";
import type { Target } from "./target.ts";

/** Loaded when an object has rules: its libraries take some 40 ms, which other requests need not wait for. */
export const ruleEngine = () => import("#shared/data/schema/rules/rules");

/** For all rules of one request. A single evaluation is bounded by the limits of conditions. */
const MOST_MILLISECONDS = 5_000;

/** Of one reply, with all other issues. */
const MOST_ISSUES = 1_000;

/** Fields that nobody may read, such as secrets: conditions see only whether they have a value. */
export const opaqueFields: OpaqueFields = ({ api_name, properties }: ObjectSchema) =>
  Object.keys(properties).filter((name) => readHolderOf(api_name, name) === "nobody");

export const ruleUserOf = ({ tenant }: Target): RuleUser => tenant.caller;

/** A write of one record, and its position in the request. */
export interface CheckedWrite extends RecordChange {
  readonly loc: Issue["loc"];
}

const sentences = {
  error: (name: string) => `The rule "${name}" cannot be evaluated for this record, so the record is refused.`,
  budget: (name: string) => `The rule "${name}" would take too long for this record, so the record is refused.`,
} as const;

/** The field of the message is named only to callers who may see it, and only where the request has fields. */
const issueOf = (target: Target, { rule, reason }: RuleFailure, { loc, after }: CheckedWrite): Issue => {
  const { access, object, schema } = target;
  const field = rule.error_field;
  const isShown =
    field !== undefined &&
    after !== null &&
    Object.hasOwn(schema.properties, field) &&
    (access.fieldReadable(object, field) || access.fieldWritable(object, field, "update"));
  return {
    loc: isShown ? [...loc, field] : loc,
    msg: reason === "condition" ? rule.error_message : sentences[reason](rule.name),
    type: "validation_rule",
    ctx: { rule: rule.api_name, reason },
  };
};

/** The parts of a path that follow the path of a record; undefined for paths elsewhere. */
const within = (loc: Issue["loc"], record: Issue["loc"]): Issue["loc"] | undefined =>
  record.every((part, index) => loc[index] === part) ? loc.slice(record.length) : undefined;

/** The fields of a record that have issues; null if the record as a whole has one. */
const invalidFields = (issues: readonly Issue[], record: Issue["loc"]): ReadonlySet<string> | null => {
  const fields = new Set<string>();
  for (const { loc } of issues) {
    const rest = within(loc, record);
    if (rest === undefined) continue;
    const [field] = rest;
    if (field === undefined) return null;
    fields.add(String(field));
  }
  return fields;
};

/**
 * Evaluates the rules of an object for the records of a request, and gives an issue for each rule that refuses one.
 * `found` are the issues that the records have already: rules that read a field with an issue are left out, because its
 * value is not known.
 */
export const ruleIssues = async (
  target: Target,
  writes: readonly CheckedWrite[],
  found: readonly Issue[] = [],
): Promise<Issue[]> => {
  const { schema, object } = target;
  const { failingRules } = await ruleEngine();
  const [user, at, start] = [ruleUserOf(target), now(), elapsedMillis()];
  const issues: Issue[] = [];
  const room = Math.max(MOST_ISSUES - found.length, 0);
  for (const write of writes) {
    const invalid = found.length === 0 ? new Set<string>() : invalidFields(found, write.loc);
    if (invalid === null) continue;
    const { before, after } = write;
    const failures = failingRules(schema, opaqueFields, { before, after, user, now: at, invalid });
    issues.push(...failures.map((failure) => issueOf(target, failure, write)));
    if (issues.length >= room) return issues.slice(0, room);
    if (elapsedMillis() - start > MOST_MILLISECONDS) {
      const msg = `The validation rules of "${object}" take too long for so many records. Send fewer at once.`;
      return [...issues, { loc: write.loc, msg, type: "validation_rule_time" }];
    }
  }
  return issues;
};

export const isRuled = ({ schema }: Target, operation: RuleOperation): boolean => hasRules(schema, operation);
