import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

const tlv = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const value = Buffer.concat(parts);
  const { length } = value;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(0x30, ...parts);
const oid = (hex: string): Buffer => tlv(0x06, Buffer.from(hex, "hex"));

const COMMON_NAME = "550403";
const SUBJECT_ALTERNATIVE_NAME = "551d11";
const ECDSA_WITH_SHA256 = "2a8648ce3d040302";

/** A certificate for a host's name, signed by itself, and its key: PEM. For tests of clients (RFC 5280). */
export const selfSigned = (host: string): { key: string; cert: string } => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(tlv(0x31, sequence(oid(COMMON_NAME), tlv(0x0c, Buffer.from(host)))));
  const time = (text: string): Buffer => tlv(0x18, Buffer.from(text));
  const names = sequence(tlv(0x82, Buffer.from(host)));
  const extensions = sequence(sequence(oid(SUBJECT_ALTERNATIVE_NAME), tlv(0x04, names)));
  const algorithm = sequence(oid(ECDSA_WITH_SHA256));
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(time("20200101000000Z"), time("20991231235959Z")),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tlv(0xa3, extensions),
  );
  const signature = sign("sha256", body, privateKey);
  const der = sequence(body, algorithm, tlv(0x03, Buffer.from([0]), signature));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
  };
};
