import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { ServiceError } from "../sdk/call.ts";
import type { IssuedCredentials, Keyring } from "./credentials.ts";

/** An unverified request. Header names are in lower case. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query exactly as sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Signed {
  readonly credentials: IssuedCredentials;
  readonly service: string;
}

const sha256 = (data: Buffer | string): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: Buffer | string, data: string): Buffer => createHmac("sha256", key).update(data).digest();

const allowedSkew = 15 * 60_000;

/**
 * Verifies a Signature Version 4, and gives the principal and the service. Errors are AWS's own: a missing or malformed
 * signature, an unknown key or token, a wrong signature, an expired one.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-signing-elements.html
 */
export const verifySignature = (request: SignedRequest, keys: Keyring): Signed => {
  const authorization = request.headers.authorization;
  if (authorization === undefined) {
    throw new ServiceError("MissingAuthenticationTokenException", "Missing Authentication Token", 403);
  }
  const fields =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      authorization,
    );
  const [, accessKeyId = "", date = "", region = "", service = "", signedHeaders = "", signature = ""] = fields ?? [];
  const time = request.headers["x-amz-date"] ?? "";
  if (fields === null || !time.startsWith(date)) {
    throw new ServiceError("IncompleteSignatureException", "The Authorization header is not understood.", 403);
  }
  const credentials = keys.find(accessKeyId);
  if (credentials === undefined || request.headers["x-amz-security-token"] !== credentials.sessionToken) {
    throw new ServiceError(
      "UnrecognizedClientException",
      "The security token included in the request is invalid.",
      403,
    );
  }
  const names = signedHeaders.split(";");
  const scope = `${date}/${region}/${service}/aws4_request`;
  const canonical = canonicalRequest(request, names, service);
  const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`;
  const key = signingKey(credentials.secretAccessKey, date, region, service);
  const matches = timingSafeEqual(hmac(key, toSign), Buffer.from(signature, "hex"));
  if (!matches || !names.includes("host")) {
    throw new ServiceError(
      "InvalidSignatureException",
      "The request signature we calculated does not match the signature you provided. Check your AWS Secret " +
        "Access Key and signing method.",
      403,
    );
  }
  // Signers use the system's time, not the clock of the local services.
  if (Math.abs(Date.now() - timeOf(time)) > allowedSkew) {
    throw new ServiceError("InvalidSignatureException", `Signature expired: ${time} is not within 15 minutes.`, 403);
  }
  return { credentials, service };
};

const canonicalRequest = (request: SignedRequest, names: readonly string[], service: string): string => {
  const [path = "/", query = ""] = request.target.split("?", 2);
  const canonicalPath = path
    .split("/")
    // All services but S3 encode the path once more for the signature.
    .map((segment) => (service === "s3" ? segment : strictlyEncoded(segment)))
    .join("/");
  const canonicalQuery = query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => (pair.includes("=") ? pair : `${pair}=`))
    .sort()
    .join("&");
  const headers = names.map((name) => `${name}:${(request.headers[name] ?? "").trim().replace(/ +/g, " ")}\n`).join("");
  return [request.method, canonicalPath, canonicalQuery, headers, names.join(";"), sha256(request.body)].join("\n");
};

const strictlyEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

const timeOf = (time: string): number =>
  Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));

const derived = new Map<string, Buffer>();

/** Derived keys are the same for a whole day. */
const signingKey = (secret: string, date: string, region: string, service: string): Buffer => {
  const name = `${secret}/${date}/${region}/${service}`;
  const known = derived.get(name);
  if (known !== undefined) return known;
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, date), region), service), "aws4_request");
  if (derived.size > 1000) derived.clear();
  derived.set(name, key);
  return key;
};
