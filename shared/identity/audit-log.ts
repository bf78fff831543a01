import type { Filter } from "mongodb";
import { Fault } from "#shared/foundation/faults";
import { type AuditEntry, base, type Caller } from "#shared/tenant/tenant";

export interface AuditQuery {
  readonly of: "me" | "organization";
  readonly limit: number;
  /** The id of the last entry that was seen. */
  readonly before?: string | undefined;
}

const answerOf = ({ _id, at, type, user_id, session_id, client_id, address, user_agent }: AuditEntry) => ({
  id: _id,
  at: at.toISOString(),
  type,
  user_id,
  session_id,
  client_id,
  address,
  user_agent,
});

/**
 * What happened to the account of a person in several organizations concerns them all. From where concerns only the one
 * in which it was done; the others are not told where else a colleague works.
 */
const seenIn = (entry: AuditEntry, organizationId: string): AuditEntry => {
  const { acted_in, organizations } = entry;
  const isHere = acted_in === undefined ? organizations.length === 1 : acted_in === organizationId;
  return isHere ? entry : { ...entry, session_id: null, address: "", user_agent: "" };
};

/** What happened to the caller's access, or to everybody's in the organization; newest first. Raises `forbidden`. */
export const readAudit = async (caller: Caller, { of, limit, before }: AuditQuery) => {
  if (of === "organization" && !caller.is_admin) {
    throw new Fault("forbidden", { message: "Only an administrator of the organization may see everybody's entries." });
  }
  const whose: Filter<AuditEntry> = of === "me" ? { user_id: caller.id } : { organizations: caller.organization_id };
  const { audit } = await base();
  const where = { ...whose, ...(before !== undefined && { _id: { $lt: before } }) };
  const found = await audit.find(where, { sort: { at: -1, _id: -1 }, limit: limit + 1 }).toArray();
  const page = found.slice(0, limit);
  const entries = of === "me" ? page : page.map((entry) => seenIn(entry, caller.organization_id));
  const last = found.length > limit ? entries.at(-1) : undefined;
  return { entries: entries.map(answerOf), ...(last === undefined ? {} : { next: last._id }) };
};
