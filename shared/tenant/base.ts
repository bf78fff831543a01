import type { ClientSession, Collection, Db } from "mongodb";
import type {
  AuditEntry,
  AuthorizationCode,
  LoginRequest,
  MailedToken,
  OAuthClient,
  Slots,
} from "./base-access-documents.ts";
import type {
  ClusterEntry,
  IdempotencyEntry,
  Identity,
  KnownAddress,
  LoginAttempts,
  OrganizationEntry,
  RefreshToken,
  Session,
} from "./base-documents.ts";
import { clusterClient, DEFAULT_CLUSTER } from "./clusters.ts";

/** The `base` database: identities, sessions, clients and the registry of organizations. It holds no tenant data. */
export interface Base {
  readonly organizations: Collection<OrganizationEntry>;
  readonly users: Collection<Identity>;
  readonly sessions: Collection<Session>;
  readonly refreshTokens: Collection<RefreshToken>;
  readonly clusters: Collection<ClusterEntry>;
  readonly loginAttempts: Collection<LoginAttempts>;
  readonly loginRequests: Collection<LoginRequest>;
  readonly oauthClients: Collection<OAuthClient>;
  readonly authorizationCodes: Collection<AuthorizationCode>;
  readonly mailedTokens: Collection<MailedToken>;
  readonly audit: Collection<AuditEntry>;
  readonly knownAddresses: Collection<KnownAddress>;
  readonly slots: Collection<Slots>;
  readonly idempotencyKeys: Collection<IdempotencyEntry>;
  transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
  ping(): Promise<void>;
}

let opened: Promise<Base> | undefined;

const collectionsOf = (db: Db): Omit<Base, "transaction" | "ping"> => ({
  organizations: db.collection<OrganizationEntry>("organization"),
  users: db.collection<Identity>("user"),
  sessions: db.collection<Session>("session"),
  refreshTokens: db.collection<RefreshToken>("refresh_token"),
  clusters: db.collection<ClusterEntry>("cluster"),
  loginAttempts: db.collection<LoginAttempts>("login_attempt"),
  loginRequests: db.collection<LoginRequest>("login_request"),
  oauthClients: db.collection<OAuthClient>("oauth_client"),
  authorizationCodes: db.collection<AuthorizationCode>("authorization_code"),
  mailedTokens: db.collection<MailedToken>("mailed_token"),
  audit: db.collection<AuditEntry>("audit"),
  knownAddresses: db.collection<KnownAddress>("known_address"),
  slots: db.collection<Slots>("slot"),
  idempotencyKeys: db.collection<IdempotencyEntry>("idempotency_key"),
});

const open = async (): Promise<Base> => {
  const client = await clusterClient(DEFAULT_CLUSTER);
  const db = client.db("base");
  return {
    ...collectionsOf(db),
    transaction: (work) => client.withSession((session) => session.withTransaction(() => work(session))),
    ping: async () => {
      await db.command({ ping: 1 });
    },
  };
};

export const base = (): Promise<Base> => {
  opened ??= open().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
};

const createBaseIndexes = async (): Promise<void> => {
  const { organizations, users, sessions, refreshTokens, ...others } = await base();
  const {
    loginAttempts,
    loginRequests,
    oauthClients,
    authorizationCodes,
    mailedTokens,
    audit,
    knownAddresses,
    idempotencyKeys,
  } = others;
  await Promise.all([
    organizations.createIndex({ slug: 1 }, { unique: true }),
    users.createIndex({ email: 1 }, { unique: true }),
    sessions.createIndex({ user_id: 1 }),
    sessions.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }),
    refreshTokens.createIndex({ session_id: 1 }),
    refreshTokens.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }),
    loginAttempts.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }),
    loginRequests.createIndex({ user_id: 1 }),
    // Kept for an hour after it expires, so that whoever waits for it is told the outcome.
    loginRequests.createIndex({ expires_at: 1 }, { expireAfterSeconds: 3600 }),
    sessions.createIndex({ client_id: 1 }, { sparse: true }),
    sessions.createIndex({ browser_hash: 1 }, { sparse: true }),
    oauthClients.createIndex({ organization_id: 1 }),
    authorizationCodes.createIndex({ user_id: 1 }),
    authorizationCodes.createIndex({ client_id: 1 }),
    authorizationCodes.createIndex({ expires_at: 1 }, { expireAfterSeconds: 86_400 }),
    mailedTokens.createIndex({ user_id: 1 }),
    mailedTokens.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }),
    audit.createIndex({ user_id: 1, at: -1 }),
    audit.createIndex({ organizations: 1, at: -1 }),
    audit.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }),
    knownAddresses.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }),
    idempotencyKeys.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }),
  ]);
};

let indexed: Promise<void> | undefined;

/** Creates the indexes of the base database, once per execution environment. Called before the first write. */
export const ensureBaseIndexes = (): Promise<void> => {
  indexed ??= createBaseIndexes().catch((error: unknown) => {
    indexed = undefined;
    throw error;
  });
  return indexed;
};
