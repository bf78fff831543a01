import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { env } from "../env.ts";
import { Fault } from "../faults.ts";
import { isLoopbackAddress, isPublicAddress } from "./addresses.ts";

export interface CheckedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

const refused = (message: string): Fault => new Fault("integration_refused", { message });

const isAllowed = (address: string): boolean =>
  isPublicAddress(address) || (env.outboundLoopback() && isLoopbackAddress(address));

/** Longest name of a host (RFC 1035 §2.3.4). */
const LONGEST_NAME = 253;

/**
 * The address of a host that a tenant has chosen, by name or by address (without brackets). All addresses in the answer
 * have to be public. The connection must use this address: a second question could have another answer.
 * @throws Fault integration_refused if one is not, integration_failed if the name has none
 */
export const checkedAddress = async (host: string): Promise<CheckedAddress> => {
  const literal = isIP(host);
  if (literal !== 0) {
    if (!isAllowed(host)) throw refused(`${host} is not a public address.`);
    return { address: host, family: literal === 6 ? 6 : 4 };
  }
  if (host === "" || host.length > LONGEST_NAME) throw refused("The address has no valid name of a host.");
  const found = await lookup(host, { all: true, order: "ipv4first" }).catch((cause: unknown) => {
    throw new Fault("integration_failed", { message: `The name ${host} has no address.`, cause });
  });
  // Public addresses beside others are those of an attack, or of a mistake.
  if (!found.every(({ address }) => isAllowed(address))) throw refused(`${host} does not have a public address.`);
  const [first] = found;
  if (first === undefined) throw new Fault("integration_failed", { message: `The name ${host} has no address.` });
  return { address: first.address, family: first.family === 6 ? 6 : 4 };
};
