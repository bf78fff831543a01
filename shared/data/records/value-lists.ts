import type { ClientSession } from "mongodb";
import { completeListChange, VALUE_LIST_OBJECT } from "#shared/data/schema/schema";
import type { RecordChange } from "./recorded-changes.ts";
import type { Target } from "./target.ts";

const isChanged = ({ before, after }: RecordChange): boolean =>
  before?.name !== after?.name || JSON.stringify(before?.values) !== JSON.stringify(after?.values);

/** A change of value lists is a change of the model. Raises `in_use` and `validation_failed`. */
export const completeLists = async (
  { tenant, object }: Target,
  written: readonly RecordChange[],
  session: ClientSession,
): Promise<void> => {
  const changed = object === VALUE_LIST_OBJECT ? written.filter(isChanged) : [];
  if (changed.length > 0) await completeListChange(tenant, changed, session);
};
