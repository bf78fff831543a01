import type { ClientSession, Collection, Db, Document, MongoClient } from "mongodb";
import { type Copy, countedWrites, refuseWritingStages } from "./counted-writes.ts";
import { internalCollections, type OrganizationState } from "./documents.ts";
import { type Once, unkeyedOnce } from "./once.ts";
import { sendingTransactions } from "./outbox/transactions.ts";
import { type Batches, type ReadOptions, readBatches } from "./read-batches.ts";

/** The user in whose name a request acts, as the tenant's user record describes them at this moment. */
export interface Caller {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly session_id: string;
  readonly organization_id: string;
  /** Of the access token, separated by blanks. `all` for a person who signed in themselves. */
  readonly scope: string;
  /** The app that acts for the person, if one does. */
  readonly client_id: string | null;
  /** The responsible administrator of the app, if it acts alone. */
  readonly responsible: string | null;
  /** Account owner, account admin or superuser. */
  readonly is_admin: boolean;
  readonly is_account_owner: boolean;
  readonly is_superuser: boolean;
  /** Whether a second factor was given in the session. */
  readonly second_factor: boolean;
  /** Ids of `permission` records. */
  readonly permissions: readonly string[];
  /** Id of a `role` record. */
  readonly role: string | null;
  /** IANA name, if the person has one. */
  readonly time_zone: string | null;
}

/** One organization's database. No other database can be reached from it. */
export interface TenantDatabase extends Copy {
  /** Every write increments the collection's counter, `state.collection_versions`, before it is acknowledged. */
  collection<T extends Document = Document>(name: string): Collection<T>;
  /** The rows of a pipeline over one collection. Cheaper than the driver's cursors, and outside of any transaction. */
  read<T extends Document = Document>(name: string, pipeline: readonly Document[], options?: ReadOptions): Batches<T>;
  /** The collections that can be those of objects. */
  collectionNames(): Promise<string[]>;
  /**
   * Runs `work` in one transaction. It is retried as a whole on a write conflict, so it must be repeatable. After the
   * commit it sends what `work` has added to the outbox.
   */
  transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
  /** The one effect of a request that may be repeated, as with an `Idempotency-Key`. */
  readonly once: Once;
}

/** A caller in their active organization. */
export interface Tenant extends TenantDatabase {
  readonly caller: Caller;
  readonly state: OrganizationState;
  /** The id of the request, as in its log line, its answer and its audit entries. */
  readonly request_id: string;
}

export const tenantDatabase = (client: MongoClient, db: Db, copy: Copy, onRefused?: () => void): TenantDatabase => {
  const counted = countedWrites(client, db, copy, onRefused);
  const writes = { ...counted, transaction: sendingTransactions({ ...copy, ...counted }) };
  return {
    ...copy,
    read: (name, pipeline, options) => {
      refuseWritingStages(pipeline);
      return readBatches(client, db, name, pipeline, options);
    },
    collectionNames: async () => {
      const found = await db.listCollections({ type: "collection" }, { nameOnly: true }).toArray();
      return found
        .map(({ name }) => name)
        .filter((name) => !internalCollections.has(name) && !/^_|[.$]/.test(name))
        .sort();
    },
    ...writes,
    once: unkeyedOnce(writes),
  };
};
