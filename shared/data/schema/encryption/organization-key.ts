import { Binary } from "mongodb";
import { boundedCache } from "#shared/foundation/bounded-cache";
import { now } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { dataKeyFor, decryptedDataKey } from "#shared/foundation/secrets/data-keys";
import { copyKeyOf, DATA_KEY_COLLECTION, type StoredDataKey, type TenantDatabase } from "#shared/tenant/tenant";

/** The data key of an organization, in clear. It must not be logged or sent. */
export interface DataKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

type KeyReader = Pick<TenantDatabase, "organization_id" | "generation" | "collection">;

/** There is one key. Values name it, so that there can be another one. */
const KEY_ID = "1";

/** After this time KMS is asked again, so that a key that was disabled there is of no use for long. */
const KEPT_MILLISECONDS = 5 * 60_000;

/** Promises, so that concurrent requests of one organization ask KMS once. */
const keys = boundedCache<Promise<DataKey | null>>({
  mostBytes: 1024 * 1024,
  bytesOf: () => 400,
  ttl: KEPT_MILLISECONDS,
});

/** Functions may use data keys for this purpose and no other (`fieldKeyContext` in infra). */
const purposeOf = ({ organization_id }: KeyReader) => ({ organization: organization_id, purpose: "fields" });

const UNREADABLE = "Encrypted fields cannot be read right now; try again.";
const UNWRITABLE = "Encrypted fields cannot be written right now, so nothing was stored; try again.";

const collectionOf = (tenant: KeyReader) => tenant.collection<StoredDataKey>(DATA_KEY_COLLECTION);

const read = async (tenant: KeyReader, message: string): Promise<DataKey | null> => {
  const stored = await collectionOf(tenant).findOne({ _id: KEY_ID });
  if (stored === null) return null;
  return { id: KEY_ID, bytes: await decryptedDataKey(stored.key.value(), purposeOf(tenant), message) };
};

/** Of two requests that create the key at the same time, one stores it and both use that one. */
const create = async (tenant: KeyReader): Promise<DataKey | null> => {
  const { plain, encrypted } = await dataKeyFor(purposeOf(tenant), UNWRITABLE);
  try {
    await collectionOf(tenant).insertOne({ _id: KEY_ID, key: new Binary(encrypted), created_date: now() });
    return { id: KEY_ID, bytes: plain };
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return read(tenant, UNWRITABLE);
  }
};

const cached = (tenant: KeyReader, load: () => Promise<DataKey | null>): Promise<DataKey | null> => {
  const copy = copyKeyOf(tenant);
  const known = keys.get(copy);
  if (known !== undefined) return known;
  const loading = load();
  keys.set(copy, loading);
  const forget = () => {
    if (keys.get(copy) === loading) keys.delete(copy);
  };
  // A missing key is not remembered, because another environment may create it at any time.
  loading.then((key) => key ?? forget(), forget);
  return loading;
};

/** The organization's data key; null if nothing was ever encrypted with it. Raises `dependency_unavailable`. */
export const dataKeyOf = (tenant: KeyReader): Promise<DataKey | null> => cached(tenant, () => read(tenant, UNREADABLE));

/** The same, created if there is none. */
export const requireDataKey = async (tenant: KeyReader): Promise<DataKey> => {
  const key = (await cached(tenant, () => read(tenant, UNWRITABLE))) ?? (await cached(tenant, () => create(tenant)));
  if (key === null) throw new Error("The data key of an organization is gone.");
  return key;
};
