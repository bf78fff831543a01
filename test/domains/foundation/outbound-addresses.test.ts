import fc from "fast-check";
import { expect, test } from "vitest";
import { isLoopbackAddress, isPublicAddress } from "#shared/foundation/outbound/addresses";
import { propertyRuns } from "../../setup/property-runs.ts";

/** The first and last of the addresses of IPv4 that are not public. */
const special = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["168.63.129.16", "168.63.129.16"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.31.196.0", "192.31.196.255"],
  ["192.52.193.0", "192.52.193.255"],
  ["192.88.99.0", "192.88.99.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["192.175.48.0", "192.175.48.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "255.255.255.255"],
] as const;

const numberOf = (address: string): number => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
const textOf = (value: number): string => [24, 16, 8, 0].map((bits) => (value >>> bits) & 255).join(".");
const isSpecial = (value: number): boolean =>
  special.some(([first, last]) => value >= numberOf(first) && value <= numberOf(last));

const anyAddress = fc.integer({ min: 0, max: 2 ** 32 - 1 });
/** Also close to the ends of ranges, where mistakes are. */
const someAddress = fc.oneof(
  anyAddress,
  fc
    .tuple(fc.constantFrom(...special.flat()), fc.integer({ min: -2, max: 2 }))
    .map(([address, step]) => Math.min(Math.max(numberOf(address) + step, 0), 2 ** 32 - 1)),
);
const specialAddress = someAddress.filter(isSpecial);
const group = fc.integer({ min: 0, max: 0xffff });
const hex = (value: number): string => value.toString(16);
const pair = (value: number): string => `${hex(value >>> 16)}:${hex(value & 0xffff)}`;

test("an address of IPv4 is public if and only if it is in none of the special ranges", () => {
  fc.assert(
    fc.property(someAddress, (value) => {
      expect(isPublicAddress(textOf(value))).toBe(!isSpecial(value));
    }),
    propertyRuns(20_000),
  );
});

test("no address of IPv6 that has a special address of IPv4 inside is public", () => {
  const forms: readonly ((value: number) => string)[] = [
    (value) => `::ffff:${textOf(value)}`,
    (value) => `::ffff:${pair(value)}`,
    (value) => `0:0:0:0:0:FFFF:${pair(value)}`,
    (value) => `::${textOf(value)}`,
    (value) => `::ffff:0:${textOf(value)}`,
    (value) => `64:ff9b::${textOf(value)}`,
    (value) => `64:ff9b:1::${textOf(value)}`,
    (value) => `2002:${pair(value)}::1`,
    (value) => `2001:0:${pair(value)}::1`,
  ];
  fc.assert(
    fc.property(specialAddress, fc.constantFrom(...forms), (value, form) => {
      expect(isPublicAddress(form(value))).toBe(false);
    }),
    propertyRuns(10_000),
  );
});

test("no address of IPv6 outside of 2000::/3 is public", () => {
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      const isGlobal = (groups[0] ?? 0) >= 0x2000 && (groups[0] ?? 0) <= 0x3fff;
      fc.pre(!isGlobal);
      expect(isPublicAddress(groups.map(hex).join(":"))).toBe(false);
    }),
    propertyRuns(10_000),
  );
});

test("no text that is not an address is public", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/^[\d.]+$|:/.test(text));
      expect(isPublicAddress(text)).toBe(false);
    }),
    propertyRuns(2_000),
  );
});

test.each([
  ["8.8.8.8", true],
  ["52.94.76.1", true],
  ["2606:4700:4700::1111", true],
  ["2a00:1450:4001:81b::200e", true],
  ["169.254.169.254", false],
  ["fd00:ec2::254", false],
  ["fe80::1", false],
  ["fe80::1%eth0", false],
  ["2606:4700::1%eth0", false],
  ["::", false],
  ["::1", false],
  ["ff02::1", false],
  ["fec0::1", false],
  ["100::1", false],
  ["2001:db8::1", false],
  ["3fff:1::1", false],
  ["5f00::1", false],
  ["0177.0.0.1", false],
  ["2130706433", false],
  ["", false],
])("whether %s is public is %s", (address, expected) => {
  expect(isPublicAddress(address)).toBe(expected);
});

test.each([
  ["127.0.0.1", true],
  ["127.255.255.254", true],
  ["::1", true],
  ["0:0:0:0:0:0:0:1", true],
  ["::ffff:127.0.0.1", false],
  ["128.0.0.1", false],
  ["0.0.0.0", false],
  ["localhost", false],
])("whether %s is an address of this host is %s", (address, expected) => {
  expect(isLoopbackAddress(address)).toBe(expected);
});
