import { now } from "#shared/foundation/clock";
import { isSameSecret } from "#shared/foundation/constant-time";
import { type AuthorizationCode, base, type OAuthClient } from "#shared/tenant/tenant";
import { hashOf } from "../credentials/hashes.ts";
import type { Device } from "../sessions/device.ts";
import { type AppTokenAnswer, beginAppSession, revokeGrant } from "./app-sessions.ts";
import { invalidGrant, invalidRequest } from "./errors.ts";

const GRANT_MS = 30 * 24 * 60 * 60_000;

export interface CodeExchange {
  readonly code?: string | undefined;
  readonly redirect_uri?: string | undefined;
  readonly code_verifier?: string | undefined;
}

/** RFC 7636 §4.6; a verifier for a code without a challenge is an attack on it (RFC 9700 §4.8). */
const proves = ({ code_challenge }: AuthorizationCode, verifier: string | undefined): boolean => {
  if (code_challenge === null || verifier === undefined) return code_challenge === null && verifier === undefined;
  return isSameSecret(hashOf(verifier), code_challenge);
};

const fits = (code: AuthorizationCode, { redirect_uri, code_verifier }: CodeExchange): boolean => {
  // RFC 6749 §4.1.3: a redirect_uri of the authorization request must be repeated.
  const given = code.redirect_uri_given || redirect_uri !== undefined;
  return (!given || redirect_uri === code.redirect_uri) && proves(code, code_verifier);
};

/**
 * Exchanges an authorization code for tokens, once. A second exchange revokes the session of the first (RFC 6749
 * §4.1.2). Raises `invalid_request` and `invalid_grant`.
 */
export const exchangeCode = async (
  client: OAuthClient,
  exchange: CodeExchange,
  device: Device,
): Promise<AppTokenAnswer> => {
  if (exchange.code === undefined) throw invalidRequest("The code is missing.");
  const { authorizationCodes } = await base();
  const _id = hashOf(exchange.code);
  const code = await authorizationCodes.findOne({ _id, client_id: client._id });
  if (code === null) throw invalidGrant();
  const reused = async (sessionId: string) => {
    await revokeGrant(sessionId, client, device);
    return invalidGrant("This code was used before; what was issued for it is revoked.");
  };
  if (code.session_id !== null) throw await reused(code.session_id);
  if (code.expires_at <= now() || !fits(code, exchange)) throw invalidGrant();
  let taken: string | null = null;
  try {
    return await beginAppSession({
      client,
      user_id: code.user_id,
      organization_id: code.organization_id,
      scope: code.scope,
      second_factor: code.second_factor,
      begun: code.created_date,
      device,
      milliseconds: GRANT_MS,
      refreshable: true,
      alongside: async (collections, session_id, session) => {
        const used = await collections.authorizationCodes.findOneAndUpdate(
          { _id },
          [{ $set: { session_id: { $ifNull: ["$session_id", session_id] } } }],
          { session, returnDocument: "after" },
        );
        taken = used?.session_id ?? "";
        if (taken !== session_id) throw invalidGrant();
        taken = null;
      },
    });
  } catch (error) {
    if (taken !== null) throw await reused(taken);
    throw error;
  }
};
