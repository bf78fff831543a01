import { now } from "#shared/foundation/clock";
import { opaqueToken } from "#shared/foundation/tokens/tokens";
import { base, type OrganizationListEntry } from "#shared/tenant/tenant";
import { hashOf } from "../credentials/hashes.ts";
import { ownSession, type PrepareSession } from "./sessions.ts";

/** A working day. It has ended when somebody else uses the browser on the next day. */
const BROWSER_SESSION_MS = 12 * 60 * 60_000;

/**
 * A session of the sign-in pages, which can only authorize apps. No access token is issued for it, so it has no
 * replicas. Answers what the browser keeps in a cookie.
 */
export const browserSession: PrepareSession<{ readonly cookie: string }> = async (who, organizationId, device) => {
  const cookie = opaqueToken("tbs");
  const session = {
    ...ownSession(who, organizationId, device, BROWSER_SESSION_MS),
    organizations: [],
    browser_hash: hashOf(cookie),
  };
  return {
    id: session._id,
    answer: { cookie },
    publishAndWrite: (write) => write(),
    async store({ sessions }, transaction) {
      await sessions.insertOne({ ...session }, { session: transaction });
    },
  };
};

/** Who is signed in in a browser. */
export interface Browser {
  readonly session_id: string;
  /** Of the person. */
  readonly id: string;
  readonly email: string;
  readonly organizations: readonly OrganizationListEntry[];
  /** Their organization when they signed in. */
  readonly organization_id: string;
  /** Whether they have given a second factor there. */
  readonly second_factor: boolean;
  /** When they signed in. */
  readonly begun: Date;
}

export const findBrowser = async (cookie: string): Promise<Browser | null> => {
  const { sessions, users } = await base();
  const session = await sessions.findOne({ browser_hash: hashOf(cookie), expires_at: { $gt: now() } });
  const identity = session === null ? null : await users.findOne({ _id: session.user_id, is_active: true });
  if (session === null || identity === null) return null;
  const { _id: id, email, organizations } = identity;
  const { _id: session_id, organization_id, second_factor = false, created_date: begun } = session;
  return { session_id, id, email, organizations, organization_id, second_factor, begun };
};
