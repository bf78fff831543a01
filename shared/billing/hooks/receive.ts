import { createHash } from "node:crypto";
import { billingHookMessage } from "#contracts/billing-messages";
import { putFile } from "#shared/foundation/aws/s3";
import { now, nowMillis, nowSeconds } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { addToBaseOutbox, base, messageFor } from "#shared/tenant/tenant";
import { paymentSecret } from "../vendors/configured.ts";
import { headOf } from "./event.ts";

/** Seconds that the time of a signature may differ from ours (https://docs.stripe.com/webhooks/signature). */
const TOLERANCE_S = 300;
/** Longer than the vendor repeats an event. */
const KEPT_MS = 30 * 86_400_000;

const refused = (cause: string): Fault => new Fault("invalid_signature", { cause });

/** By the vendor's own library, which compares in constant time. Raises `invalid_signature`. */
const verify = async (body: Buffer, header: string | undefined): Promise<void> => {
  const secret = await paymentSecret();
  if (secret === null) throw refused("no_payment_vendor");
  // The library refuses old times only.
  const time = Number(/(?:^|,)t=(\d+)/.exec(header ?? "")?.[1] ?? Number.NaN);
  if (!(time <= nowSeconds() + TOLERANCE_S)) throw refused("time");
  const { default: Stripe } = await import("stripe");
  const { signature } = Stripe.webhooks;
  if (signature === null) throw new Error("The library of the payment vendor has no signatures.");
  try {
    // Not `constructEvent`: it would parse the body too, which may be no event.
    signature.verifyHeader(body, header ?? "", secret, TOLERANCE_S);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) throw refused("signature");
    throw error;
  }
};

const hashOf = (body: Uint8Array): string => createHash("sha256").update(body).digest("hex");

/**
 * Takes an event of the payment vendor: verifies its signature, stores it, and adds a message for it. An event that was
 * received before is acknowledged again, and nothing else. Raises `invalid_signature`.
 */
export const receiveHook = async (body: Buffer, header: string | undefined): Promise<void> => {
  await verify(body, header);
  const { id, type } = headOf(body);
  // A signed body that names no id is recognised again too.
  const _id = id ?? hashOf(body);
  const { billingEvents, transaction } = await base();
  if ((await billingEvents.findOne({ _id }, { projection: { _id: 1 } })) !== null) return;
  // An id of the vendor is no name of a file.
  const key = `billing/${hashOf(Buffer.from(_id))}`;
  await putFile(key, body, { type: "application/json" });
  const event = { type, key, received_at: now(), expires_at: new Date(nowMillis() + KEPT_MS) };
  await transaction(async (session) => {
    const received = await billingEvents.updateOne({ _id }, { $setOnInsert: event }, { upsert: true, session });
    if (received.upsertedCount === 0) return;
    await addToBaseOutbox(session, [messageFor(billingHookMessage, { key })]);
  });
  log.info({ event: _id, type }, "an event of the payment vendor was received");
};
