import type { ClientSession } from "mongodb";
import { Fault } from "#shared/foundation/faults";
import { isObject } from "#shared/foundation/is-object";
import type { PendingChange } from "./authority.ts";
import { collectionOf } from "./stored-record.ts";
import type { Target } from "./target.ts";

/** The most roles above a role. */
const MOST_LEVELS = 100;

const parentIn = (parent: unknown): string | null =>
  isObject(parent) && typeof parent.id === "string" ? parent.id : null;

/**
 * Refuses a role that would be above itself, and too long chains of roles. It reads in the transaction, after the
 * access version was incremented, so that two administrators cannot close a circle together. Raises
 * `validation_failed`.
 */
export const refuseRoleCircles = async (
  target: Target,
  pending: readonly PendingChange[],
  session: ClientSession,
): Promise<void> => {
  const changed = new Map(
    pending.flatMap(({ before, changes }) =>
      changes?.parent === undefined ? [] : [[before._id, parentIn(changes.parent)] as const],
    ),
  );
  const parentOf = async (id: string): Promise<string | null> => {
    const known = changed.get(id);
    if (known !== undefined) return known;
    const stored = await collectionOf(target).findOne({ _id: id }, { session, projection: { parent: 1 } });
    return parentIn(stored?.parent);
  };
  for (const id of changed.keys()) {
    let above = await parentOf(id);
    for (let level = 1; above !== null; level += 1) {
      if (above === id || level > MOST_LEVELS) {
        const msg =
          above === id ? "The role would be above itself." : `A role has at most ${MOST_LEVELS} roles above it.`;
        throw new Fault("validation_failed", { issues: [{ loc: ["body", "parent"], msg, type: "role_circle" }] });
      }
      above = await parentOf(above);
    }
  }
};
