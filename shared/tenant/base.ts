import type { ClientSession, Collection, CreateIndexesOptions, Db } from "mongodb";
import type { BackgroundWork } from "./background-work.ts";
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
  DomainHolder,
  FileSweep,
  IdempotencyEntry,
  Identity,
  KnownAddress,
  LoginAttempts,
  OrganizationEntry,
  PublicRuns,
  RefreshToken,
  SenderDomainEntry,
  Session,
} from "./base-documents.ts";
import type {
  BillingAccount,
  BillingEvent,
  UsageDay,
  UsageRecord,
  UsageRun,
  UsageRunDay,
} from "./billing-documents.ts";
import { clusterClient, DEFAULT_CLUSTER } from "./clusters.ts";
import type { CountedWrites } from "./counted-writes.ts";
import type { LedgerEntry, MigrationRun } from "./migration-documents.ts";
import type { OutboxDatabase } from "./outbox/entry.ts";
import { sendingTransactions } from "./outbox/transactions.ts";
import type { PlatformMail, PlatformMailBody } from "./platform-mail-documents.ts";

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
  readonly backgroundWork: Collection<BackgroundWork>;
  readonly publicRuns: Collection<PublicRuns>;
  readonly senderDomains: Collection<SenderDomainEntry>;
  readonly domainHolders: Collection<DomainHolder>;
  readonly fileSweeps: Collection<FileSweep>;
  readonly billingAccounts: Collection<BillingAccount>;
  readonly billingEvents: Collection<BillingEvent>;
  readonly usageRuns: Collection<UsageRun>;
  readonly usageRunDays: Collection<UsageRunDay>;
  readonly usageDays: Collection<UsageDay>;
  readonly usageRecords: Collection<UsageRecord>;
  readonly migrations: Collection<LedgerEntry>;
  readonly migrationRuns: Collection<MigrationRun>;
  readonly platformMails: Collection<PlatformMail>;
  readonly platformMailBodies: Collection<PlatformMailBody>;
  /** Retried as a whole on a write conflict. After the commit it sends what `work` has added to the base outbox. */
  transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
  ping(): Promise<void>;
}

/** The name of the database. It stands for an organization where messages and background work name one. */
export const BASE = "base";

type BaseOutbox = OutboxDatabase & Pick<CountedWrites, "transaction">;

let opened: Promise<{ readonly base: Base; readonly outbox: BaseOutbox }> | undefined;

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
  backgroundWork: db.collection<BackgroundWork>("background_work"),
  publicRuns: db.collection<PublicRuns>("public_run"),
  senderDomains: db.collection<SenderDomainEntry>("sender_domain"),
  domainHolders: db.collection<DomainHolder>("domain_holder"),
  fileSweeps: db.collection<FileSweep>("file_sweep"),
  billingAccounts: db.collection<BillingAccount>("billing_account"),
  billingEvents: db.collection<BillingEvent>("billing_event"),
  usageRuns: db.collection<UsageRun>("usage_run"),
  usageRunDays: db.collection<UsageRunDay>("usage_run_day"),
  usageDays: db.collection<UsageDay>("usage_day"),
  usageRecords: db.collection<UsageRecord>("usage_record"),
  migrations: db.collection<LedgerEntry>("migration"),
  migrationRuns: db.collection<MigrationRun>("migration_run"),
  platformMails: db.collection<PlatformMail>("platform_mail"),
  platformMailBodies: db.collection<PlatformMailBody>("platform_mail_body"),
});

const open = async (): Promise<{ readonly base: Base; readonly outbox: BaseOutbox }> => {
  const client = await clusterClient(DEFAULT_CLUSTER);
  const db = client.db(BASE);
  const database: BaseOutbox = {
    organization_id: BASE,
    collection: (name) => db.collection(name),
    transaction: (work) => client.withSession((session) => session.withTransaction(() => work(session))),
  };
  const transaction = sendingTransactions(database);
  const ping = async (): Promise<void> => {
    await db.command({ ping: 1 });
  };
  return { base: { ...collectionsOf(db), transaction, ping }, outbox: { ...database, transaction } };
};

const openOnce = () => {
  opened ??= open().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
};

export const base = async (): Promise<Base> => (await openOnce()).base;

/** The base database as far as its outbox needs it. */
export const baseOutbox = async (): Promise<BaseOutbox> => (await openOnce()).outbox;

type BaseIndex = readonly [
  collection: keyof Omit<Base, "transaction" | "ping">,
  key: Readonly<Record<string, 1 | -1>>,
  options?: CreateIndexesOptions,
];

const expiring = (expireAfterSeconds = 0): CreateIndexesOptions => ({ expireAfterSeconds });

export const baseIndexes: readonly BaseIndex[] = [
  ["organizations", { slug: 1 }, { unique: true }],
  // Finds the organizations that an earlier release has left.
  ["organizations", { migrated: 1, _id: 1 }],
  ["organizations", { parent_organization_id: 1, "sandbox.name": 1 }],
  // Finds the sandboxes on which nobody works any more.
  ["organizations", { "sandbox.run.lease_until": 1 }, { sparse: true }],
  ["users", { email: 1 }, { unique: true }],
  ["users", { "organizations.id": 1 }],
  ["sessions", { user_id: 1 }],
  ["sessions", { expires_at: 1 }, expiring()],
  ["sessions", { client_id: 1 }, { sparse: true }],
  ["sessions", { browser_hash: 1 }, { sparse: true }],
  ["refreshTokens", { session_id: 1 }],
  ["refreshTokens", { expires_at: 1 }, expiring()],
  ["loginAttempts", { expires_at: 1 }, expiring()],
  ["loginRequests", { user_id: 1 }],
  // Kept for an hour after it expires, so that whoever waits for it is told the outcome.
  ["loginRequests", { expires_at: 1 }, expiring(3600)],
  ["oauthClients", { organization_id: 1 }],
  ["authorizationCodes", { user_id: 1 }],
  ["authorizationCodes", { client_id: 1 }],
  ["authorizationCodes", { expires_at: 1 }, expiring(86_400)],
  ["mailedTokens", { user_id: 1 }],
  ["mailedTokens", { expires_at: 1 }, expiring()],
  ["audit", { user_id: 1, at: -1 }],
  ["audit", { organizations: 1, at: -1 }],
  ["audit", { expires_at: 1 }, expiring()],
  ["knownAddresses", { expires_at: 1 }, expiring()],
  ["idempotencyKeys", { expires_at: 1 }, expiring()],
  // Find the organizations that a job visits.
  ["backgroundWork", { outbox: 1 }, { sparse: true }],
  ["backgroundWork", { executions: 1 }, { sparse: true }],
  ["backgroundWork", { schedules: 1 }, { sparse: true }],
  ["backgroundWork", { messages: 1 }, { sparse: true }],
  ["publicRuns", { expires_at: 1 }, expiring()],
  ["fileSweeps", { at: 1 }],
  ["migrationRuns", { expires_at: 1 }, expiring()],
  // One customer pays for one organization.
  ["billingAccounts", { payment_customer_id: 1 }, { unique: true, sparse: true }],
  ["billingAccounts", { smsvendor_account_id: 1 }, { unique: true, sparse: true }],
  ["billingEvents", { expires_at: 1 }, expiring()],
  ["usageRuns", { expires_at: 1 }, expiring()],
  ["usageRunDays", { run_id: 1, status: 1 }],
  ["usageRunDays", { run_id: 1, organization_id: 1, date: 1 }],
  ["usageRunDays", { expires_at: 1 }, expiring()],
  ["usageRecords", { organization_id: 1, date: 1, category: 1 }, { unique: true }],
  ["platformMails", { to: 1, _id: -1 }],
  ["platformMails", { status: 1, _id: -1 }],
  ["platformMails", { expires_at: 1 }, expiring()],
  ["platformMailBodies", { expires_at: 1 }, expiring()],
];

/** Idempotent. */
export const createBaseIndexes = async (): Promise<void> => {
  const opened = await base();
  await Promise.all(
    baseIndexes.map(([name, key, options = {}]) =>
      (opened[name] as Pick<Collection, "createIndex">).createIndex(key, options),
    ),
  );
};

/** On a platform without organizations, whose collections are empty. Later ones are made by a migration. */
const createFirstIndexes = async (): Promise<void> => {
  const { organizations } = await base();
  if ((await organizations.findOne({}, { projection: { _id: 1 } })) === null) await createBaseIndexes();
};

let indexed: Promise<void> | undefined;

/** Creates the indexes of a new base database, once per execution environment. Called before the first write. */
export const ensureBaseIndexes = (): Promise<void> => {
  indexed ??= createFirstIndexes().catch((error: unknown) => {
    indexed = undefined;
    throw error;
  });
  return indexed;
};
