import { isIPv6 } from "node:net";

/** The eight groups of an IPv6 address, with `::` expanded. */
const groupsOf = (address: string): string[] => {
  const [head = "", tail] = address.split("::");
  const before = head === "" ? [] : head.split(":");
  if (tail === undefined) return before;
  const after = tail === "" ? [] : tail.split(":");
  const missing = Math.max(8 - before.length - after.length, 0);
  return [...before, ...Array.from({ length: missing }, () => "0"), ...after];
};

/**
 * What counts as one address: an IPv4 address, or the /64 network of an IPv6 one, because a subscriber usually has a
 * whole /64 network.
 */
export const networkOf = (address: string): string => {
  if (!isIPv6(address)) return address;
  const mapped = /:((?:\d+\.){3}\d+)$/.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  const network = groupsOf(address.toLowerCase()).slice(0, 4);
  return `${network.map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`;
};
