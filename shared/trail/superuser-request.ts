import type { Tenant } from "#shared/tenant/tenant";
import { entryOf, originOf } from "./entry.ts";
import { trailOf } from "./write.ts";

/** What an operator of the platform asks for. */
export interface AskedRequest {
  readonly method: string;
  /** As the contract names it. */
  readonly route: string;
  readonly path: Readonly<Record<string, string>>;
  /** The query string in plain text, and the body of a request that reads. Cut to a limit. */
  readonly query?: string;
  readonly body?: string;
}

/** What they were answered. */
export interface AnsweredRequest {
  readonly status: number;
  /** How many records or rows. */
  readonly count?: number;
  readonly record_ids?: readonly string[];
}

/**
 * Writes down that an operator of the platform is about to read or change something, before anything is read. What is answered
 * is to be added before they are given it, so nothing is seen that is not in the trail; each raises if it cannot be written.
 */
export const noteSuperuserRequest = async (
  tenant: Tenant,
  asked: AskedRequest,
): Promise<(answered: AnsweredRequest) => Promise<void>> => {
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
