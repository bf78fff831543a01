import * as z from "zod";
import { type ObjectSchema, schemasOf } from "#shared/data/schema/schema";
import { didYouMean } from "#shared/foundation/did-you-mean";
import type { Issue } from "#shared/foundation/faults";
import { type CheckedWrite, ruleEngine } from "../check-rules.ts";
import type { DefinitionCheck } from "./definitions.ts";
import { refusesTriggers } from "./trigger-objects.ts";

const ids = z.array(z.string().min(1).max(200)).max(1_000);

const recipients = z.strictObject({
  users: ids.optional(),
  roles: ids.optional(),
  owner_of_record: z.boolean().optional(),
  field: z.string().max(80).optional(),
});

type Model = Readonly<Record<string, ObjectSchema>>;

const objectIssues = ({ after, loc }: CheckedWrite, model: Model): Issue[] => {
  const name: unknown = after?.object;
  const events: unknown = after?.events;
  const hasEvents = Array.isArray(events) && events.length > 0;
  if (typeof name !== "string") {
    const msg = "The events of a setting are those of the records of its object.";
    return hasEvents ? [{ loc: [...loc, "events"], msg, type: "object_required" }] : [];
  }
  const at = [...loc, "object"];
  const refused = hasEvents ? refusesTriggers(name) : undefined;
  if (refused !== undefined) return [{ loc: at, msg: refused, type: "no_triggers" }];
  if (Object.hasOwn(model, name)) return [];
  const meant = didYouMean(name, Object.keys(model));
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  return [{ loc: at, msg: `There is no object "${name.slice(0, 80)}".${hint}`, type: "unknown_object" }];
};

const recipientIssues = ({ after, loc }: CheckedWrite, model: Model): Issue[] => {
  const value: unknown = after?.recipients;
  if (value === undefined || value === null) return [];
  const at = [...loc, "recipients"];
  const parsed = recipients.safeParse(value);
  if (!parsed.success) {
    return parsed.error.issues.map(({ path, message, code }) => ({
      loc: [...at, ...path.map((part) => (typeof part === "number" ? part : String(part)))],
      msg: message,
      type: code,
    }));
  }
  const { field, owner_of_record } = parsed.data;
  if (field === undefined && owner_of_record !== true) return [];
  const name: unknown = after?.object;
  const schema = typeof name === "string" && Object.hasOwn(model, name) ? model[name] : undefined;
  if (schema === undefined) {
    const msg = "`owner_of_record` and `field` need an `object`.";
    return [{ loc: at, msg, type: "object_required" }];
  }
  if (field === undefined || Object.hasOwn(schema.properties, field)) return [];
  const meant = didYouMean(field, Object.keys(schema.properties));
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  return [{ loc: [...at, "field"], msg: `"${name}" has no field "${field}".${hint}`, type: "unknown_field" }];
};

export const checkSettings: DefinitionCheck = async ({ tenant, pushed }, writes) => {
  const model = { ...(await schemasOf(tenant)), ...pushed?.schemas };
  const { settingConditionIssues } = await ruleEngine();
  return writes.flatMap((write) => {
    const condition: unknown = write.after?.condition;
    return [
      ...objectIssues(write, model),
      ...recipientIssues(write, model),
      ...(typeof condition === "string" && condition.trim() !== ""
        ? settingConditionIssues(condition, [...write.loc, "condition"])
        : []),
    ];
  });
};
