import type { WebNotification } from "#contracts/notification-bodies";
import { Fault } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { acceptedStatus, acceptMessages } from "../delivery/accept.ts";
import { keeping, writeKept } from "../kept.ts";
import { findDevice } from "./devices.ts";
import { deviceFields } from "./message-fields.ts";
import { activeUsers } from "./users.ts";

interface StoredStatus {
  _id: string;
  status?: string;
}

/** Sends to one device of the organization. Raises `record_not_found` and `vendor_not_configured`. */
export const sendToDevice = (
  tenant: Tenant,
  { message: { token, data } }: WebNotification,
): Promise<{ id: string; status: string }> =>
  tenant.once.write(
    async () => {
      const device = await findDevice(tenant, token);
      const [user] = device === null ? [] : await activeUsers(tenant, { _id: device.user }, 1);
      if (device === null || user === undefined) throw new Fault("record_not_found");
      const { title, body, ...others } = data;
      const fields = { ...deviceFields(title, device, user), body, data: others };
      const status = await acceptedStatus(tenant, "push_message", { platform: device.transport ?? device.platform });
      const { store, kept } = keeping();
      const [id = ""] = await acceptMessages(tenant, "push_message", [{ fields, status }], store);
      return async (session) => {
        await writeKept(tenant, kept, session);
        return { ids: [id], value: { id, status } };
      };
    },
    async ([id = ""]) => {
      const stored = await tenant.collection<StoredStatus>("push_message").findOne({ _id: id });
      return { id, status: stored?.status ?? "unknown" };
    },
  );
