import { BlockList, isIPv4, isIPv6 } from "node:net";

type Range = readonly [address: string, bits: number];

/** Addresses of IPv4 that are not public: https://www.iana.org/assignments/iana-ipv4-special-registry */
const notPublic4: readonly Range[] = [
  ["0.0.0.0", 8], // this network
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT, and metadata at Alibaba
  ["127.0.0.0", 8], // loopback
  ["168.63.129.16", 32], // the platform of Azure
  ["169.254.0.0", 16], // link-local, and metadata at AWS
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments, and metadata at Oracle
  ["192.0.2.0", 24], // documentation
  ["192.31.196.0", 24], // AS112
  ["192.52.193.0", 24], // relays of multicast
  ["192.88.99.0", 24], // relays of 6to4
  ["192.168.0.0", 16], // private
  ["192.175.48.0", 24], // AS112
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, and broadcast
];

/**
 * The one public range of IPv6, so that IPv4-mapped and -compatible addresses, NAT64, unique local, link-local and
 * multicast ones are not public: https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const public6: Range = ["2000::", 3];

/** Addresses in that range that are not public. */
const notPublic6: readonly Range[] = [
  ["2001::", 23], // protocol assignments, with Teredo, which has addresses of IPv4 inside
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4, which has addresses of IPv4 inside
  ["2620:4f:8000::", 48], // AS112
  ["3fff::", 20], // documentation
];

const listOf = (ranges: readonly Range[], family: "ipv4" | "ipv6"): BlockList => {
  const list = new BlockList();
  for (const [address, bits] of ranges) list.addSubnet(address, bits, family);
  return list;
};

const special4 = listOf(notPublic4, "ipv4");
const special6 = listOf(notPublic6, "ipv6");
const global6 = listOf([public6], "ipv6");
const loopback4 = listOf([["127.0.0.0", 8]], "ipv4");
const loopback6 = listOf([["::1", 128]], "ipv6");

/** Whether an address, in any notation of `net.isIP`, is that of a host on the public internet. */
export const isPublicAddress = (address: string): boolean => {
  if (isIPv4(address)) return !special4.check(address, "ipv4");
  // A zone (fe80::1%eth0) names an interface of this host.
  if (!isIPv6(address) || address.includes("%")) return false;
  return global6.check(address, "ipv6") && !special6.check(address, "ipv6");
};

/** 127.0.0.0/8 and ::1, and no address of IPv4 inside one of IPv6. */
export const isLoopbackAddress = (address: string): boolean =>
  isIPv4(address) ? loopback4.check(address, "ipv4") : isIPv6(address) && loopback6.check(address, "ipv6");
