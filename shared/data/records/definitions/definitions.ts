import type { Issue } from "#shared/foundation/faults";
import type { CheckedWrite } from "../check-rules.ts";
import type { Target } from "../target.ts";

/**
 * Checks records that define behaviour, as they will be stored. `after` lacks values that were refused before; other
 * fields fit the schema.
 */
export type DefinitionCheck = (target: Target, writes: readonly CheckedWrite[]) => Promise<readonly Issue[]>;

/** By object. Loaded when such a record is written, because few requests write one. */
const checks: Readonly<Record<string, () => Promise<DefinitionCheck>>> = {
  auth_credential: async () => (await import("./check-credential.ts")).checkCredentials,
  automation: async () => (await import("./check-automation.ts")).checkAutomations,
  scheduled_item: async () => (await import("./check-scheduled-item.ts")).checkScheduledItems,
  function: async () => (await import("./check-function.ts")).checkFunctions,
  template: async () => (await import("./check-template.ts")).checkTemplates,
  notification_setting: async () => (await import("./check-setting.ts")).checkSettings,
  record_trigger: async () => (await import("./check-trigger.ts")).checkTriggers,
};

export const isDefinition = ({ object }: Pick<Target, "object">): boolean => Object.hasOwn(checks, object);

/**
 * The issues of new and changed records that define behaviour: functions, triggers, automations, scheduled items,
 * notification settings and credentials.
 * Called before the transaction of the write, because a check may ask the runner. Deleted records are not checked.
 */
export const definitionIssues = async (target: Target, writes: readonly CheckedWrite[]): Promise<readonly Issue[]> => {
  const load = Object.hasOwn(checks, target.object) ? checks[target.object] : undefined;
  return load === undefined || writes.length === 0 ? [] : (await load())(target, writes);
};
