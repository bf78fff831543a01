import type { Tenant } from "#shared/tenant/tenant";
import { entryOf, originOf } from "./entry.ts";
import { trailOf } from "./write.ts";

/** A request of a superuser. */
export interface AuditedRequest {
  readonly method: string;
  /** The path of the contract. */
  readonly route: string;
  readonly path: Readonly<Record<string, string>>;
  /** The query string in plain text, and the body of a request that reads. Cut to a limit. */
  readonly query?: string;
  readonly body?: string;
}

/** The answer to it. */
export interface AuditedAnswer {
  readonly status: number;
  /** The number of records or rows. */
  readonly count?: number;
  readonly record_ids?: readonly string[];
}

/**
 * Writes the audit entry of a superuser's request before it is handled. The answered function adds the answer to the
 * entry, and must be called before the answer is sent. Both raise if the entry cannot be written, so nothing is
 * answered without one.
 */
export const auditSuperuserRequest = async (
  tenant: Tenant,
  asked: AuditedRequest,
): Promise<(answered: AuditedAnswer) => Promise<void>> => {
  const { object, id } = asked.path;
  const entry = entryOf(originOf(tenant), {
    action: "superuser_request",
    ...(object && { object }),
    ...(id && { record_id: id }),
    called: `${asked.method} ${asked.route}`,
    details: { ...asked },
  });
  await trailOf(tenant).insertOne(entry);
  return async ({ status, count, record_ids }) => {
    const details = { ...asked, status, ...(count !== undefined && { count }), ...(record_ids && { record_ids }) };
    await trailOf(tenant).updateOne({ _id: entry._id }, { $set: { details } });
  };
};
