import { encryptedValues } from "./api-record.ts";
import type { Changes } from "./check-record.ts";
import { sealChanges } from "./sealed-values.ts";
import type { Target } from "./target.ts";

/**
 * The changes as they are stored: write-only fields sealed, encrypted fields encrypted. Called before the transaction.
 * Raises `dependency_unavailable`.
 */
export const protectChanges = async (
  target: Target,
  records: readonly { readonly id: string; readonly changes: Changes }[],
): Promise<Changes[]> => {
  const sealed = await sealChanges(target, records);
  const fields = Object.values(target.schema.properties).filter(
    ({ api_name, encrypted }) => encrypted === true && sealed.some((changes) => typeof changes[api_name] === "string"),
  );
  if (fields.length === 0) return sealed;
  const { encryptTexts } = await encryptedValues();
  return encryptTexts(
    target,
    fields,
    records.map(({ id }, index) => ({ id, changes: sealed[index] ?? {} })),
  );
};
