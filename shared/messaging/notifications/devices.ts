import { createHash } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { type DeviceToken, notificationLimits } from "#contracts/notification-bodies";
import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { openSecret, type SealedSecret, sealSecret } from "#shared/foundation/secrets/secrets";
import { DEVICE_COLLECTION, SESSION_COLLECTION, type Tenant, type TenantDatabase } from "#shared/tenant/tenant";

export type Platform = "web" | "ios" | "android";

/** A device for push notifications, in an internal collection. */
interface StoredDevice {
  _id: string;
  user_id: string;
  /** It gets nothing when this session has ended. */
  session_id: string;
  /** SHA-256 of the token or of the endpoint. Unique. */
  token_hash: string;
  /** The `DeviceTarget` as JSON. */
  target: SealedSecret;
  platform: Platform;
  /** Of a browser that has a token of FCM and no subscription. */
  transport?: "fcm";
  name?: string;
  created_date: Date;
  modified_date: Date;
}

/** Where a device is reached. Whoever knows it may be able to send to it. */
export type DeviceTarget =
  | { readonly token: string }
  | { readonly endpoint: string; readonly keys: { readonly p256dh: string; readonly auth: string } };

export interface Device {
  readonly id: string;
  readonly user: string;
  readonly platform: Platform;
  readonly transport?: "fcm";
}

type Database = Pick<TenantDatabase, "collection" | "organization_id">;

const devicesOf = ({ collection }: Database) => collection<StoredDevice>(DEVICE_COLLECTION);

const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

const purposeOf = ({ organization_id: organization }: Database, token_hash: string) => ({
  organization,
  object: DEVICE_COLLECTION,
  token: token_hash,
});

const targetOf = ({ token, endpoint, keys }: DeviceToken): DeviceTarget => {
  if (token !== undefined) return { token };
  if (endpoint !== undefined && keys !== undefined) {
    return { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } };
  }
  throw new Error("A device without a token passed its schema.");
};

const platformOf = (target: DeviceTarget, { platform }: DeviceToken): Platform =>
  "endpoint" in target ? "web" : (platform ?? "android");

/** Removes the devices of a user that are too many, the oldest first. Gives the number of the others. */
const removeSurplus = async (devices: ReturnType<typeof devicesOf>, user_id: string): Promise<number> => {
  const own = await devices
    .find({ user_id }, { projection: { modified_date: 1 }, sort: { modified_date: -1 } })
    .toArray();
  const surplus = own.slice(notificationLimits.devices).map(({ _id }) => _id);
  if (surplus.length > 0) await devices.deleteMany({ _id: { $in: surplus }, user_id });
  return own.length - surplus.length;
};

/** Registers a device of the caller's session. Raises `dependency_unavailable`. */
export const setDevice = async (tenant: Tenant, request: DeviceToken): Promise<{ id: string; tokens: number }> => {
  const target = targetOf(request);
  const platform = platformOf(target, request);
  const token_hash = hashOf("token" in target ? target.token : target.endpoint);
  const sealed = await sealSecret(Buffer.from(JSON.stringify(target)), purposeOf(tenant, token_hash));
  const devices = devicesOf(tenant);
  await devices.createIndex({ token_hash: 1 }, { unique: true });
  await devices.createIndex({ user_id: 1, _id: 1 });
  const { id: user_id, session_id } = tenant.caller;
  // A device that changes hands is another one: messages to the earlier user must not reach it.
  await devices.deleteOne({ token_hash, user_id: { $ne: user_id } });
  const at = now();
  const change = {
    ...("token" in target && platform === "web" && { transport: "fcm" as const }),
    user_id,
    session_id,
    target: sealed,
    platform,
    name: request.device_name ?? "",
    modified_date: at,
  };
  const device = await devices.findOneAndUpdate(
    { token_hash },
    { $set: change, $setOnInsert: { _id: uuidv7(), created_date: at } },
    { upsert: true, returnDocument: "after" },
  );
  return { id: device?._id ?? "", tokens: await removeSurplus(devices, user_id) };
};

/** Removes a device of the caller. Raises `record_not_found`. */
export const removeDevice = async (tenant: Tenant, id: string): Promise<void> => {
  const { deletedCount } = await devicesOf(tenant).deleteOne({ _id: id, user_id: tenant.caller.id });
  if (deletedCount === 0) throw new Fault("record_not_found");
};

/** Those whose session lives. The others are removed. */
const living = async (database: Database, devices: readonly StoredDevice[]): Promise<StoredDevice[]> => {
  if (devices.length === 0) return [];
  const ids = [...new Set(devices.map(({ session_id }) => session_id))];
  const sessions = await database
    .collection<{ _id: string; user_id: string; expires_at: Date }>(SESSION_COLLECTION)
    .find({ _id: { $in: ids }, expires_at: { $gt: now() } }, { projection: { user_id: 1 } })
    .toArray();
  const users = new Map(sessions.map(({ _id, user_id }) => [_id, user_id]));
  const isLive = ({ session_id, user_id }: StoredDevice): boolean => users.get(session_id) === user_id;
  const over = devices.filter((device) => !isLive(device)).map(({ _id, session_id }) => ({ _id, session_id }));
  if (over.length > 0) await devicesOf(database).deleteMany({ $or: over });
  return devices.filter(isLive);
};

const deviceOf = ({ _id, user_id, platform, transport }: StoredDevice): Device => ({
  id: _id,
  user: user_id,
  platform,
  ...(transport && { transport }),
});

/** The devices of users that can be reached. */
export const devicesOfUsers = async (
  database: Database,
  users: readonly string[],
  platforms: readonly Platform[],
): Promise<Device[]> => {
  if (users.length === 0 || platforms.length === 0) return [];
  const found = await devicesOf(database)
    .find({ user_id: { $in: [...users] }, platform: { $in: [...platforms] } })
    .toArray();
  return (await living(database, found)).map(deviceOf);
};

/** The device with this token, endpoint or id, of a user of this organization. Null if it cannot be reached. */
export const findDevice = async (database: Database, token: string): Promise<Device | null> => {
  const found = await devicesOf(database)
    .find({ $or: [{ token_hash: hashOf(token) }, { _id: token }] })
    .toArray();
  const [device] = await living(database, found);
  return device === undefined ? null : deviceOf(device);
};

/**
 * Where a device is reached now; null if its session has ended or it belongs to another user by now. For the code that
 * calls the vendor only. Raises `dependency_unavailable`.
 */
export const deviceTarget = async (database: Database, id: string, user: string): Promise<DeviceTarget | null> => {
  const [device] = await living(database, await devicesOf(database).find({ _id: id, user_id: user }).toArray());
  if (device === undefined) return null;
  const opened = await openSecret(device.target, purposeOf(database, device.token_hash));
  // Only `setDevice` writes it.
  return JSON.parse(opened.toString("utf8")) as DeviceTarget;
};

/** The vendor has said that it does not exist any more. */
export const forgetDevice = async (database: Database, id: string): Promise<void> => {
  await devicesOf(database).deleteOne({ _id: id });
};
