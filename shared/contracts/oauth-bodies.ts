import * as z from "zod";
import { id, timestamp } from "./common.ts";
import { accessToken } from "./identity-bodies.ts";

/** The scopes that an app may get. Its rights are never more than the person's. */
export const OAUTH_SCOPES = ["all", "read", "write", "admin", "sensitive:read"] as const;

export const scopeText = z
  .string()
  .max(200)
  .describe(
    "Separated by blanks: `read`, `write`, `admin` (what only administrators may do), `sensitive:read` (the values " +
      "of sensitive fields), or `all`. Without it, all that the client is registered for.",
  )
  .meta({ examples: ["read write"] });

export const clientId = id.describe("The id of a registered client.");

/** Characters with a meaning in a list or in the header of a page: blanks, control characters, `;` and `,`. */
const SEPARATOR = /[\s\p{Cc};,]/u;

/** The parsed host, in which `%3B` and `%2A` are decoded to `;` and `*`, and non-ASCII letters are Punycode. */
const HOST = /^[A-Za-z0-9.:[\]-]+$/;

/** RFC 8252 §7: https, a loopback address, or an app's own scheme in reverse domain notation. */
const isRedirect = (text: string): boolean => {
  if (!URL.canParse(text) || text.includes("#") || text.includes("*") || SEPARATOR.test(text)) return false;
  const { protocol, hostname, host, username, password } = new URL(text);
  if (username !== "" || password !== "") return false;
  if (protocol === "http:") return hostname === "127.0.0.1" || hostname === "[::1]";
  return protocol === "https:" ? HOST.test(host) : protocol.includes(".");
};

const redirectUri = z
  .string()
  .max(2000)
  .refine(
    isRedirect,
    "An https address, a loopback address or an app's own scheme is required, without a fragment, blanks, `;` or " +
      "`,`, and with letters, digits, `-` and `.` alone in the host.",
  )
  .describe(
    "The address to which the browser is sent with the code. Compared exactly; only the port of a loopback " +
      "address may differ. Without blanks, `;` and `,`.",
  )
  .meta({ examples: ["https://app.example.com/callback"] });

export const askedRedirectUri = z.string().min(1).max(2000).describe("One of the client's redirect URIs, exactly.");

export const state = z.string().max(2000).describe("Returned with the code.");

export const codeChallenge = z
  .string()
  .regex(/^[\w-]{43}$/, "The base64url SHA-256 of the verifier is required (43 characters).")
  .describe("PKCE (RFC 7636): required for public clients.");

export const oauthToken = accessToken
  .extend({ scope: z.string().describe("The scopes of the token, separated by blanks.") })
  .meta({ id: "OauthToken" });

const clientFields = {
  name: z.string().describe("The name that people see when the app asks for access."),
  type: z.enum(["public", "confidential"]).describe("Whether the app can keep a secret."),
  redirect_uris: z.array(z.string()).describe("The addresses to which codes may be sent."),
  scopes: z.array(z.enum(OAUTH_SCOPES)).describe("The largest scope that the app may ask for."),
  run_as: id
    .nullable()
    .describe(
      "The user as whom the client acts alone (`client_credentials`). Its rights are those that both this user " +
        "and the responsible administrator have at each request, and never an owner's.",
    ),
};

export const oauthClient = z
  .object({
    client_id: clientId,
    ...clientFields,
    responsible: id
      .nullable()
      .describe("The responsible administrator: who registered the client, or adopted it last."),
    usable: z
      .boolean()
      .describe(
        "False if the client should act alone (`run_as`) but is currently issued no token; `problem` says why.",
      ),
    problem: z
      .enum(["adoption_required", "run_as_inactive"])
      .nullable()
      .describe(
        "`adoption_required`: the responsible administrator is deactivated or no administrator any more, and " +
          "another administrator has to adopt the client. `run_as_inactive`: the user as whom it acts is " +
          "deactivated.",
      ),
    created_date: timestamp,
  })
  .meta({ id: "OauthClient" });

export const createdOauthClient = z
  .object({
    ...oauthClient.shape,
    client_secret: z.string().optional().describe("For a confidential client. It is shown only this once."),
  })
  .meta({ id: "CreatedOauthClient" });

export const adoption = z
  .object({
    new_secret: z
      .boolean()
      .default(false)
      .describe(
        "Also gives the client a new secret and ends the old one, because the former responsible administrator " +
          "may know it.",
      ),
  })
  .optional()
  .meta({ id: "OauthClientAdoption" });

export const newOauthClient = z
  .object({
    name: z
      .string()
      .trim()
      .min(1)
      .max(120)
      .describe(clientFields.name.description ?? ""),
    type: clientFields.type,
    redirect_uris: z
      .array(redirectUri)
      .max(20)
      .default([])
      .describe(clientFields.redirect_uris.description ?? ""),
    scopes: z
      .array(z.enum(OAUTH_SCOPES))
      .min(1)
      .default(["read", "write"])
      .describe(clientFields.scopes.description ?? ""),
    run_as: id.optional().describe("An active user of the organization. Only for confidential clients."),
  })
  .meta({ id: "OauthClientRequest" });
