import type { ClientSession } from "mongodb";
import { now, nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { networkOf } from "#shared/foundation/network";
import type { Base, LoginRequest } from "#shared/tenant/tenant";

/**
 * Login requests of one account and network, including those that were displaced. A network only uses slots of its own.
 */
const MAX_OF_NETWORK = 5;

/** Login requests that wait at a time, from all networks together that the account has not signed in from. */
const MAX_UNFAMILIAR = 5;

/** The same, including displaced ones, within ten minutes. Each of them may send a mail. */
const MAX_UNFAMILIAR_OPEN = 30;

const endOf = ({ expires_at, displaced_until = expires_at }: LoginRequest): number => displaced_until.getTime();

const tooMany = (counted: readonly LoginRequest[]): Fault => {
  const seconds = Math.ceil((Math.min(...counted.map(endOf)) - nowMillis()) / 1000);
  return new Fault("too_many_attempts", {
    message: "Too many sign-ins of this account wait for their second factor.",
    headers: { "retry-after": String(Math.max(seconds, 1)) },
  });
};

/** The oldest request of the network that has the most. */
const oldestOfLargestNetwork = (waiting: readonly LoginRequest[]): LoginRequest | undefined => {
  const counts = new Map<string, number>();
  for (const { address } of waiting) counts.set(networkOf(address), (counts.get(networkOf(address)) ?? 0) + 1);
  const held = ({ address }: LoginRequest): number => counts.get(networkOf(address)) ?? 0;
  const byAge = (a: LoginRequest, b: LoginRequest): number => a.created_date.getTime() - b.created_date.getTime();
  return waiting.toSorted((a, b) => held(b) - held(a) || byAge(a, b))[0];
};

type NewRequest = Pick<LoginRequest, "user_id" | "address" | "familiar">;

/**
 * Makes sure that there is a slot for one more login request. Somebody with the password can begin requests from many
 * networks: they use no slot of a network from which the account has signed in, and in other networks newer requests
 * displace the oldest. Must run in a transaction that writes the identity, so that concurrent requests are counted one
 * after the other. Raises `too_many_attempts`.
 */
export const takeLoginRequestSlot = async (
  { user_id, address, familiar }: NewRequest,
  { loginRequests }: Base,
  session: ClientSession,
): Promise<void> => {
  const at = now();
  const counts = { $or: [{ expires_at: { $gt: at } }, { displaced_until: { $gt: at } }] };
  const open = await loginRequests.find({ user_id, status: "pending", ...counts }, { session }).toArray();
  const own = open.filter((one) => networkOf(one.address) === networkOf(address));
  if (own.length >= MAX_OF_NETWORK) throw tooMany(own);
  if (familiar === true) return;
  const unfamiliar = open.filter((one) => one.familiar !== true);
  if (unfamiliar.length >= MAX_UNFAMILIAR_OPEN) throw tooMany(unfamiliar);
  const waiting = unfamiliar.filter(({ expires_at }) => expires_at > at);
  const displaced = waiting.length >= MAX_UNFAMILIAR ? oldestOfLargestNetwork(waiting) : undefined;
  if (displaced === undefined) return;
  const end = { $set: { expires_at: at, displaced_until: displaced.expires_at } };
  await loginRequests.updateOne({ _id: displaced._id, status: "pending" }, end, { session });
};
