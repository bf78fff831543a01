import { MAX_TRIAL_IDS } from "#contracts/validation-rules";
import { accessOf } from "#shared/data/access/access";
import type { RuleInput } from "#shared/data/schema/rules/rules";
import type { ObjectSchema, ValidationRule } from "#shared/data/schema/schema";
import { elapsedMillis, now } from "#shared/foundation/clock";
import { exceededTimeLimit, slowReadLimits, type Tenant, withSlowReadSlot } from "#shared/tenant/tenant";
import { opaqueFields, ruleEngine, ruleUserOf } from "../check-rules.ts";
import { collectionOf, permitted, type StoredRecord } from "../stored-record.ts";
import type { Target } from "../target.ts";

const limits = { records: 100_000, milliseconds: 15_000, batch: 500 } as const;

/** How many stored records a rule would refuse. */
export interface RuleTrial {
  readonly dry_run: true;
  checked: number;
  failing: number;
  readonly ids: string[];
  /** False if the check ended early. */
  complete: boolean;
}

type Write = Pick<RuleInput, "before" | "after">;

/** An update that changes nothing, if the rule applies to updates. */
const writeOf = ({ on }: ValidationRule, record: StoredRecord): Write => {
  if (on.includes("update")) return { before: record, after: record };
  return on.includes("create") ? { before: null, after: record } : { before: record, after: null };
};

/**
 * Evaluates a rule for the stored records of its object, oldest first, with the caller as `user`. Raises
 * `too_many_queries`.
 */
export const tryRule = async (tenant: Tenant, schema: ObjectSchema, rule: ValidationRule): Promise<RuleTrial> => {
  const { failingRules, fieldsOfCondition } = await ruleEngine();
  const target: Target = { tenant, schema, access: await accessOf(tenant), object: schema.api_name };
  const alone: ObjectSchema = { ...schema, validation_rules: [{ ...rule, active: true }] };
  const projection = Object.fromEntries(["_id", ...fieldsOfCondition(rule.condition)].map((name) => [name, 1]));
  const [user, at] = [ruleUserOf(target), now()];
  return withSlowReadSlot(tenant, async (maxTimeMS) => {
    const trial: RuleTrial = { dry_run: true, checked: 0, failing: 0, ids: [], complete: true };
    const start = elapsedMillis();
    const records = collectionOf(target)
      .find(permitted(target, {}), { projection, maxTimeMS, batchSize: limits.batch })
      .sort({ _id: 1 });
    try {
      for await (const record of records) {
        if (trial.checked === limits.records || elapsedMillis() - start > limits.milliseconds) {
          trial.complete = false;
          break;
        }
        trial.checked += 1;
        const input = { ...writeOf(rule, record), user, now: at };
        if (failingRules(alone, opaqueFields, input).length === 0) continue;
        trial.failing += 1;
        if (trial.ids.length < MAX_TRIAL_IDS) trial.ids.push(record._id);
      }
    } catch (error) {
      if (!exceededTimeLimit(error) || maxTimeMS < slowReadLimits.maxTimeMilliseconds) throw error;
      trial.complete = false;
    } finally {
      await records.close();
    }
    return trial;
  });
};
