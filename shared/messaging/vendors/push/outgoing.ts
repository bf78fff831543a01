import type { Document } from "mongodb";
import { isObject } from "#shared/foundation/is-object";
import { textOf } from "#shared/foundation/text-of";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { type DeviceTarget, deviceTarget } from "../../notifications/devices.ts";

/** A push notification as its adapter gets it. */
export interface OutgoingPush {
  readonly target: DeviceTarget;
  readonly title: string;
  readonly body: string;
  /** What the app on the device gets. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Null if the device cannot be reached any more. Raises `dependency_unavailable`. */
export const outgoingPush = async (database: TenantDatabase, message: Document): Promise<OutgoingPush | null> => {
  const user = isObject(message.user) ? textOf(message.user.id) : undefined;
  const target = await deviceTarget(database, textOf(message.device_id) ?? "", user ?? "");
  if (target === null) return null;
  const { title, body, data } = message;
  return { target, title: textOf(title) ?? "", body: textOf(body) ?? "", data: isObject(data) ? data : {} };
};

/** The values that decide how a device shows a notification go before those of the app. */
const shown = ["url", "notification_id", "record_id", "type", "tag", "tab", "icon", "image", "sound"];

/**
 * A payload of at most so many bytes, as `make` makes it: without the app's own values, and then with a shorter text,
 * if it is larger.
 */
export const fitting = <T>(
  { title, body, data }: Omit<OutgoingPush, "target">,
  make: (part: Omit<OutgoingPush, "target">) => T,
  bytesOf: (payload: T) => number,
  most: number,
): T => {
  const essential = Object.fromEntries(Object.entries(data).filter(([name]) => shown.includes(name)));
  const attempts = [
    { title, body, data },
    { title, body, data: essential },
    ...[1_000, 500, 200, 0].map((length) => ({ title, body: [...body].slice(0, length).join(""), data: essential })),
  ];
  for (const attempt of attempts) {
    const payload = make(attempt);
    if (bytesOf(payload) <= most) return payload;
  }
  return make({ title: [...title].slice(0, 200).join(""), body: "", data: {} });
};
