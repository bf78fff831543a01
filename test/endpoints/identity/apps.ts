import { createHash, randomBytes } from "node:crypto";
import { type HttpReply, http } from "../../platform.ts";

export interface App {
  readonly client_id: string;
  readonly client_secret: string;
  readonly redirect_uri: string;
}

export const REDIRECT = "https://app.example.com/callback?tenant=1";

/** Registers an app of this admin's organization. */
export const registerApp = async (token: string, more: Record<string, unknown> = {}): Promise<App> => {
  const body = { name: "An app", type: "confidential", redirect_uris: [REDIRECT], ...more };
  const reply = await http.post("/v1/auth/client", { token, body, expect: 201 });
  return { client_secret: "", ...reply.body, redirect_uri: REDIRECT };
};

export const proofKey = (): { verifier: string; challenge: string } => {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
};

/** Consents to an app, as the consent page does. */
export const consent = (token: string, app: App, more: Record<string, unknown> = {}): Promise<HttpReply> =>
  http.post("/v1/oauth2/authorize", {
    token,
    body: { client_id: app.client_id, redirect_uri: app.redirect_uri, response_type: "code", ...more },
  });

export const askToken = (form: Record<string, string>, headers: Record<string, string> = {}): Promise<HttpReply> =>
  http.post("/v1/oauth2/token", { form, headers });

/** Exchanges an authorization code for tokens. */
export const exchange = (from: App, code: string, more: Record<string, string> = {}): Promise<HttpReply> => {
  const { client_id, client_secret, redirect_uri } = from;
  return askToken({ grant_type: "authorization_code", client_id, client_secret, redirect_uri, code, ...more });
};

export const refreshed = (
  { client_id, client_secret }: App,
  refresh_token: string,
  more: Record<string, string> = {},
): Promise<HttpReply> => askToken({ grant_type: "refresh_token", client_id, client_secret, refresh_token, ...more });

export const errorOf = ({ status, body }: HttpReply): string => `${status} ${body.error}`;

/** Tokens of an app that a person has authorized. */
export const letIn = async (token: string, app: App, scope?: string): Promise<HttpReply["body"]> => {
  const { verifier: code_verifier, challenge } = proofKey();
  const proof = { code_challenge: challenge, code_challenge_method: "S256" };
  const { body } = await consent(token, app, { ...proof, ...(scope === undefined ? {} : { scope }) });
  const { client_id, client_secret, redirect_uri } = app;
  const secret: Record<string, string> = client_secret === "" ? {} : { client_secret };
  const form = { grant_type: "authorization_code", client_id, ...secret, code: body.code, redirect_uri, code_verifier };
  return (await http.post("/v1/oauth2/token", { form, expect: 200 })).body;
};
