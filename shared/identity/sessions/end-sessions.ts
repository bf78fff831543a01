import type { ClientSession, Filter } from "mongodb";
import type { Base, Session } from "#shared/tenant/tenant";
import { dismiss } from "./session-replicas.ts";

/** Ends sessions with all of their refresh tokens; the organizations are told afterwards, by `dismissAll`. */
export const removeSessions = async (
  { sessions, refreshTokens }: Base,
  where: Filter<Session>,
  transaction: ClientSession,
): Promise<Session[]> => {
  const ended = await sessions.find(where, { session: transaction }).toArray();
  const ids = ended.map(({ _id }) => _id);
  await refreshTokens.deleteMany({ session_id: { $in: ids } }, { session: transaction });
  await sessions.deleteMany({ _id: { $in: ids } }, { session: transaction });
  return ended;
};

export const dismissAll = async (ended: readonly Session[]): Promise<void> => {
  await Promise.all(ended.map(({ _id, organizations }) => dismiss(_id, organizations)));
};
