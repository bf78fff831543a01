import { generateKeyPairSync, randomBytes } from "node:crypto";
import { importSPKI, jwtVerify } from "jose";
import { serveVendor, type VendorReply } from "./server.ts";

const FCM_ERROR = "type.googleapis.com/google.firebase.fcm.v1.FcmError";

/** As https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode describes errors. */
const problem = (code: number, status: string, errorCode: string, message: string): VendorReply => ({
  status: code,
  body: { error: { code, message, status, details: [{ "@type": FCM_ERROR, errorCode }] } },
});

interface FcmMessage {
  readonly token: string;
  readonly notification: { readonly title: string; readonly body?: string };
  readonly data: Readonly<Record<string, string>>;
  readonly android: { readonly priority: string };
}

/** FCM's HTTP v1 API with the token endpoint of OAuth. Tokens that begin with `gone` are not registered any more. */
export const fcmServer = async () => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const service_account = {
    project_id: "tenantry-test",
    client_email: "push@tenantry-test.iam.example.com",
    private_key: privateKey,
  };
  const messages: FcmMessage[] = [];
  const issued = new Set<string>();
  let failures: VendorReply[] = [];

  const issue = async (body: URLSearchParams, audience: string): Promise<VendorReply> => {
    if (body.get("grant_type") !== "urn:ietf:params:oauth:grant-type:jwt-bearer") {
      return { status: 400, body: { error: "unsupported_grant_type" } };
    }
    try {
      const { payload } = await jwtVerify(body.get("assertion") ?? "", await importSPKI(publicKey, "RS256"), {
        issuer: service_account.client_email,
        audience,
        maxTokenAge: 3_600,
      });
      if (payload.scope !== "https://www.googleapis.com/auth/firebase.messaging") {
        return { status: 400, body: { error: "invalid_scope" } };
      }
    } catch {
      return { status: 400, body: { error: "invalid_grant", error_description: "Invalid JWT Signature." } };
    }
    const access_token = `ya29.${randomBytes(24).toString("hex")}`;
    issued.add(access_token);
    return { status: 200, body: { access_token, expires_in: 3_599, token_type: "Bearer" } };
  };

  const take = (message: FcmMessage): VendorReply => {
    const bytes = Buffer.byteLength(JSON.stringify([message.notification, message.data]));
    if (Object.values(message.data).some((value) => typeof value !== "string")) {
      return problem(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "Invalid value at 'message.data[0].value'");
    }
    if (bytes > 4_096) return problem(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "Message too big");
    if (message.token.startsWith("gone")) {
      return problem(404, "NOT_FOUND", "UNREGISTERED", "Requested entity was not found.");
    }
    messages.push(message);
    return { status: 200, body: { name: `projects/${service_account.project_id}/messages/${messages.length}` } };
  };

  const server: { url: string; close: () => Promise<void> } = await serveVendor(async ({ path, headers, body }) => {
    if (path === "/token") return issue(new URLSearchParams(body.toString("utf8")), `${server.url}/token`);
    if (path !== `/v1/projects/${service_account.project_id}/messages:send`) return { status: 404, body: "" };
    if (!issued.has(headers.authorization?.replace("Bearer ", "") ?? "")) {
      return problem(
        401,
        "UNAUTHENTICATED",
        "THIRD_PARTY_AUTH_ERROR",
        "Request had invalid authentication credentials.",
      );
    }
    return failures.shift() ?? take(JSON.parse(body.toString("utf8")).message);
  });

  return {
    ...server,
    service_account,
    messages,
    /** Access tokens that were given out. */
    issued,
    failNext: (...replies: VendorReply[]) => {
      failures = [...failures, ...replies];
    },
    problem,
  };
};
