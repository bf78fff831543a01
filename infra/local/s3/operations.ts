import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { type SdkCall, ServiceError } from "../sdk/call.ts";
import { xmlDocument, xmlText } from "../sdk/xml.ts";
import type { SdkAnswer, SdkEndpoint } from "../service.ts";
import { fits, type ObjectHead, type Objects } from "./objects.ts";

export interface Bucket {
  readonly name: string;
  readonly arn: string;
  readonly objects: Objects;
}

interface Options {
  readonly find: (name: string) => Bucket | undefined;
  /** Throws AccessDeniedException unless the policies of the caller and of the bucket allow it. */
  readonly authorize: (call: SdkCall, bucket: Bucket, action: string, key?: string, prefix?: string) => void;
  readonly now: () => number;
}

const LONGEST_KEY = 1024;
const MOST_KEYS = 1000;

const namespace = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';

const unsupported = (what: string): ServiceError =>
  new ServiceError("NotImplemented", `The local platform does not support ${what}.`, 501);

const missing = (key: string): ServiceError =>
  new ServiceError("NoSuchKey", `The specified key does not exist: ${key}`, 404);

/** Headers that the SDK sends with each request, and those that an operation understands. Others are refused. */
const ordinary = ["x-amz-content-sha256", "x-amz-date", "x-amz-security-token", "x-amz-user-agent"];

const requireHeaders = (call: SdkCall, known: readonly string[]): void => {
  const other = Object.keys(call.headers).find(
    (name) => (/^(?:x-amz-|if-)/.test(name) || name === "range") && !ordinary.includes(name) && !known.includes(name),
  );
  if (other !== undefined) throw unsupported(`the header ${other}`);
};

const requireQuery = (call: SdkCall, known: readonly string[]): void => {
  const other = [...call.query.keys()].find((name) => name !== "x-id" && !known.includes(name));
  if (other !== undefined) throw unsupported(`the parameter ${other}`);
};

const checksumOf = (bytes: Buffer): string => {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum.toString("base64");
};

/** @throws ServiceError if the body is not what the client says it sent */
const requireIntact = ({ headers, bytes }: SdkCall): string => {
  if (/aws-chunked/.test(headers["content-encoding"] ?? "")) throw unsupported("bodies in signed chunks");
  const checksum = checksumOf(bytes);
  const claimed = headers["x-amz-checksum-crc32"];
  const md5 = headers["content-md5"];
  if (claimed !== undefined && claimed !== checksum)
    throw new ServiceError("BadDigest", "The CRC32 you specified did not match the calculated checksum.");
  if (md5 !== undefined && md5 !== createHash("md5").update(bytes).digest("base64"))
    throw new ServiceError("BadDigest", "The Content-MD5 you specified did not match what we received.");
  return checksum;
};

const requireKey = (key: string): void => {
  if (Buffer.byteLength(key) > LONGEST_KEY || !fits(key))
    throw new ServiceError("KeyTooLongError", "Your key is too long.");
};

const headersOf = (head: ObjectHead): Record<string, string> => ({
  "content-type": head.type,
  "content-length": String(head.size),
  etag: `"${head.etag}"`,
  "last-modified": new Date(head.modified).toUTCString(),
});

const put = (call: SdkCall, { objects }: Bucket, key: string, now: number): SdkAnswer => {
  requireQuery(call, []);
  requireHeaders(call, ["if-none-match", "x-amz-checksum-crc32", "x-amz-sdk-checksum-algorithm"]);
  const condition = call.headers["if-none-match"];
  if (condition !== undefined && condition !== "*") throw unsupported("If-None-Match with an entity tag");
  const checksum = requireIntact(call);
  const etag = objects.put(key, call.bytes, {
    type: call.headers["content-type"] ?? "application/octet-stream",
    checksum,
    modified: now,
    onlyNew: condition === "*",
  });
  if (etag === undefined)
    throw new ServiceError("PreconditionFailed", "At least one of the pre-conditions you specified did not hold", 412);
  return { status: 200, headers: { etag: `"${etag}"`, "x-amz-checksum-crc32": checksum } };
};

const get = (call: SdkCall, { objects }: Bucket, key: string, mayList: () => boolean): SdkAnswer => {
  requireQuery(call, []);
  requireHeaders(call, ["x-amz-checksum-mode"]);
  const found = call.method === "HEAD" ? objects.head(key) : objects.read(key);
  if (found === undefined) {
    // Who may not list keys does not learn which exist.
    if (!mayList()) throw new ServiceError("AccessDenied", "Access Denied", 403);
    throw missing(key);
  }
  const [head, body] = "content" in found ? [found.head, found.content] : [found, undefined];
  const sums = call.headers["x-amz-checksum-mode"] === "ENABLED" ? { "x-amz-checksum-crc32": head.checksum } : {};
  return { status: 200, headers: { ...headersOf(head), ...sums }, ...(body && { body }) };
};

const list = (call: SdkCall, { name, objects }: Bucket, prefix: string): SdkAnswer => {
  requireQuery(call, ["list-type", "prefix", "max-keys", "continuation-token", "start-after"]);
  requireHeaders(call, []);
  const token = call.query.get("continuation-token");
  const after = token === null ? (call.query.get("start-after") ?? "") : Buffer.from(token, "base64url").toString();
  const most = Math.min(Number(call.query.get("max-keys") ?? MOST_KEYS), MOST_KEYS);
  if (!Number.isInteger(most) || most < 1) throw new ServiceError("InvalidArgument", "max-keys is not valid.");
  const start = Buffer.from(after);
  const left = objects.list(prefix).filter(({ key }) => after === "" || Buffer.compare(Buffer.from(key), start) > 0);
  const page = left.slice(0, most);
  const last = page.at(-1);
  const contents = page.map(
    ({ key, size, etag, modified }) =>
      `<Contents><Key>${xmlText(key)}</Key><LastModified>${new Date(modified).toISOString()}</LastModified>` +
      `<ETag>&quot;${etag}&quot;</ETag><Size>${size}</Size><StorageClass>STANDARD</StorageClass></Contents>`,
  );
  const next =
    left.length > most && last !== undefined
      ? `<NextContinuationToken>${Buffer.from(last.key).toString("base64url")}</NextContinuationToken>`
      : "";
  return {
    status: 200,
    headers: { "content-type": "application/xml" },
    body: xmlDocument(
      `<ListBucketResult ${namespace}><Name>${name}</Name><Prefix>${xmlText(prefix)}</Prefix>` +
        `<KeyCount>${page.length}</KeyCount><MaxKeys>${most}</MaxKeys><IsTruncated>${next !== ""}</IsTruncated>` +
        `${next}${contents.join("")}</ListBucketResult>`,
    ),
  };
};

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const plain = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return decimal === undefined ? (entities[name] ?? whole) : String.fromCodePoint(Number(decimal));
  });

/** DeleteObjects. Each key is checked on its own; one that is refused is an entry of the answer. */
const removeSeveral = (call: SdkCall, bucket: Bucket, authorize: Options["authorize"]): SdkAnswer => {
  requireQuery(call, ["delete"]);
  requireHeaders(call, ["x-amz-checksum-crc32", "x-amz-sdk-checksum-algorithm"]);
  requireIntact(call);
  const keys = [...call.body.matchAll(/<Object>\s*<Key>([^<]*)<\/Key>\s*<\/Object>/g)].map(([, key = ""]) =>
    plain(key),
  );
  if (keys.length === 0 || keys.length > MOST_KEYS || keys.length !== call.body.split("<Key>").length - 1)
    throw new ServiceError("MalformedXML", "The XML you provided was not well-formed or did not validate.");
  const refused = keys.flatMap((key) => {
    try {
      authorize(call, bucket, "s3:DeleteObject", key);
      bucket.objects.remove(key);
      return [];
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const message = xmlText(error.message);
      return [`<Error><Key>${xmlText(key)}</Key><Code>AccessDenied</Code><Message>${message}</Message></Error>`];
    }
  });
  return {
    status: 200,
    headers: { "content-type": "application/xml" },
    body: xmlDocument(`<DeleteResult ${namespace}>${refused.join("")}</DeleteResult>`),
  };
};

/** The API of S3 with the bucket in the path, as the SDK sends it to an address. */
export const s3Endpoint = ({ find, authorize, now }: Options): SdkEndpoint => {
  const mayList = (call: SdkCall, bucket: Bucket): boolean => {
    try {
      authorize(call, bucket, "s3:ListBucket");
      return true;
    } catch {
      return false;
    }
  };

  const ofBucket = (call: SdkCall, bucket: Bucket): SdkAnswer => {
    if (call.method === "GET" && call.query.get("list-type") === "2") {
      const prefix = call.query.get("prefix") ?? "";
      authorize(call, bucket, "s3:ListBucket", undefined, prefix);
      return list(call, bucket, prefix);
    }
    if (call.method === "POST" && call.query.has("delete")) return removeSeveral(call, bucket, authorize);
    throw unsupported(`${call.method} of a bucket with these parameters`);
  };

  const ofObject = (call: SdkCall, bucket: Bucket, key: string): SdkAnswer => {
    switch (call.method) {
      case "PUT":
        authorize(call, bucket, "s3:PutObject", key);
        requireKey(key);
        return put(call, bucket, key, now());
      case "GET":
      case "HEAD":
        authorize(call, bucket, "s3:GetObject", key);
        return get(call, bucket, key, () => mayList(call, bucket));
      case "DELETE":
        authorize(call, bucket, "s3:DeleteObject", key);
        requireQuery(call, []);
        requireHeaders(call, []);
        bucket.objects.remove(key);
        return { status: 204 };
      default:
        throw unsupported(`${call.method} of an object`);
    }
  };

  return {
    signingName: "s3",
    protocol: "rest-xml",
    answer: async (call) => {
      const [name = "", ...rest] = call.segments;
      const bucket = find(name);
      if (bucket === undefined) throw new ServiceError("NoSuchBucket", "The specified bucket does not exist", 404);
      const key = rest.join("/");
      return key === "" ? ofBucket(call, bucket) : ofObject(call, bucket, key);
    },
  };
};
