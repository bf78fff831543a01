import { type Field, type ObjectSchema, resolveSchema } from "#shared/data/schema/object-schema";
import { conditionIssues } from "#shared/data/schema/rules/condition-issues";
import { failingRules, type RuleInput } from "#shared/data/schema/rules/evaluate";

type Spec = Partial<Field> & Pick<Field, "type">;

const specs = {
  name: { type: "string" },
  body: { type: "string", format: "text-area" },
  part: { type: "string", format: "text-area" },
  status: { type: "string", format: "enum", values: ["Open", "Closed"] },
  amount: { type: "number", format: "currency" },
  discount: { type: "number", format: "percent" },
  active: { type: "boolean" },
  due_date: { type: "string", format: "date" },
  closed_at: { type: "string", format: "date-time" },
  tags: { type: "list", format: "multi-select", values: ["a", "b"] },
  items: { type: "list" },
  data: { type: "json" },
  company: { type: "json", format: "lookup", schema: "company" },
  people: { type: "list", format: "lookup_list", schema: "user" },
  ssn: { type: "string", encrypted: true },
  secret: { type: "string" },
  constructor: { type: "string" },
  in: { type: "string" },
} as const satisfies Record<string, Spec>;

const opaque = () => ["secret"];

const schemaWith = (conditions: readonly string[]): ObjectSchema =>
  resolveSchema({
    id: "deal",
    api_name: "deal",
    name: "Deal",
    properties: Object.fromEntries(
      Object.entries(specs).map(([name, spec]) => [name, { ...spec, api_name: name, name }]),
    ),
    validation_rules: conditions.map((condition, index) => ({
      api_name: `rule_${index}`,
      name: `Rule ${index}`,
      on: ["create", "update", "delete"],
      condition,
      error_message: "No.",
    })),
  });

const user = {
  id: "u1",
  email: "ada@example.com",
  name: "Ada",
  role: null,
  permissions: ["p1"],
  is_admin: false,
  is_account_owner: false,
};

const now = new Date("2026-03-01T12:00:00.000Z");

/** The issues of a condition, without positions in the messages. */
export const issuesOf = (condition: string) =>
  conditionIssues(schemaWith([]), opaque, condition, ["body", "condition"]);

/** Why the condition refuses the write; null if it does not. */
export const outcome = (condition: string, write: Partial<Pick<RuleInput, "before" | "after">>) => {
  const input = { before: null, after: null, user, now, ...write };
  return failingRules(schemaWith([condition]), opaque, input)[0]?.reason ?? null;
};

/** The outcome of a new record. */
export const onCreate = (condition: string, after: Record<string, unknown>) => outcome(condition, { after });
