import type middy from "@middy/core";
import * as z from "zod";
import type { Contract } from "#contracts/contract";
import { Fault } from "#shared/foundation/faults";
import { parsedBody } from "./body.ts";
import type { HttpEvent } from "./request.ts";

const withToken = z.object({ token: z.string() });

const refused = (message: string, challenge: string): Fault =>
  new Fault("unauthenticated", { message, headers: { "www-authenticate": `Bearer realm="tenantry"${challenge}` } });

/** The token in the body, if there is one. Invalid bodies are reported later. */
const tokenInBody = async (contract: Contract, request: middy.Request<HttpEvent>): Promise<string | undefined> => {
  const event = { ...request.event };
  try {
    await parsedBody(contract).before?.({ ...request, event });
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
  const { data } = withToken.safeParse(event.body);
  return data?.token;
};

/**
 * The Authorization header of a `beacon` route: the header itself, or one made of the body's `token`. Raises
 * `unauthenticated` if there is neither, or if the two differ (RFC 6750 §2: a client uses one method to send its
 * token).
 */
export const beaconAuthorization = async (
  contract: Contract,
  request: middy.Request<HttpEvent>,
): Promise<string | undefined> => {
  const { authorization } = request.event.headers;
  const token = await tokenInBody(contract, request);
  if (token === undefined) {
    if (authorization) return authorization;
    throw refused("Send the access token in the Authorization header, or as `token` in a body that can be read.", "");
  }
  if (authorization && !authorization.endsWith(` ${token}`)) {
    throw refused("The header and the body carry different tokens.", ', error="invalid_request"');
  }
  return `Bearer ${token}`;
};
