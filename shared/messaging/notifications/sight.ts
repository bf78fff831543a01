import type { NotifySetting } from "#contracts/notification-messages";
import { isNotReadable, records, recordView } from "#shared/data/records/records";
import { boundedCache } from "#shared/foundation/bounded-cache";
import { now } from "#shared/foundation/clock";
import { log } from "#shared/foundation/log";
import { actingTenant, type Tenant, type TenantDatabase } from "#shared/tenant/tenant";
import type { Recipient } from "./users.ts";

type Firing = NotifySetting["firings"][number];
type Values = Readonly<Record<string, unknown>>;

/** What a template gets. */
export type FiredData = Values;

interface Sight {
  readonly object: string | undefined;
  readonly firing: Firing;
  readonly message_id: string;
}

/** What the recipient may read of the record, now; of a deleted one by what it was. Null if they may not see it. */
const seen = async (tenant: Tenant, object: string, { firing }: Sight): Promise<Values | null> => {
  const { record_id, old, operation } = firing;
  const earlier = old === undefined ? null : await recordView(tenant, object, old);
  if (operation === "delete") return earlier === null ? null : { record: earlier, old: earlier };
  if (record_id === undefined) return {};
  const record = await records(tenant).get(object, record_id);
  return { record: JSON.parse(JSON.stringify(record)), ...(earlier !== null && { old: earlier }) };
};

/**
 * The record that a firing is about as the recipient may read it at this moment, for the texts that they get. Null for
 * a recipient who may not see it: they are not told.
 */
export const recordSeenBy = async (
  { organization_id }: TenantDatabase,
  { _id: user_id, name = "" }: Recipient,
  sight: Sight,
): Promise<FiredData | null> => {
  const user = { name };
  const { object, firing } = sight;
  if (object === undefined || (firing.record_id === undefined && firing.old === undefined)) return { user };
  const acting = { user_id, client_id: null, scope: "all", responsible: null };
  try {
    const found = await seen(await actingTenant(organization_id, acting, sight.message_id), object, sight);
    return found === null ? null : { user, ...found };
  } catch (error) {
    if (isNotReadable(error)) return null;
    throw error;
  }
};

/** By the text alone. */
const compiled = boundedCache<(scope: Values) => unknown>({ mostBytes: 4 * 1024 * 1024, bytesOf: () => 8_000 });

/** In whose name conditions are evaluated: nobody's. */
const NOBODY = { id: "", email: "", name: "", role: null, is_admin: false } as const;

/** Whether the condition of a setting is true. One that cannot be evaluated is false, and nobody is told. */
export const conditionHolds = async (
  condition: string | null | undefined,
  record: Values | null,
  { data, old }: Firing,
): Promise<boolean> => {
  if (condition === undefined || condition === null || condition.trim() === "") return true;
  // Its library takes time to load, and few settings have a condition.
  const { expressionOf, ExpressionError } = await import("#shared/data/schema/rules/rules");
  try {
    const known = compiled.get(condition);
    const evaluate = known ?? (expressionOf("condition", condition) as (scope: Values) => unknown);
    compiled.set(condition, evaluate);
    return evaluate({ user: NOBODY, now: now(), data, record: record ?? {}, old: old ?? {} }) === true;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    log.info({ condition: "notification_setting", err: error }, "a condition could not be evaluated");
    return false;
  }
};
