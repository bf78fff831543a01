import { type HttpReply, http } from "../../platform.ts";
import { claimsOf } from "../../setup/forge-token.ts";

export const load = (token: string): Promise<HttpReply> => http.get("/v1/auth/load", { token });

export const refresh = (refresh_token: string): Promise<HttpReply> =>
  http.post("/v1/oauth2/refresh", { body: { refresh_token } });

export const switchTo = (token: string, id: string): Promise<HttpReply> =>
  http.post("/v1/auth/switch", { token, body: { id } });

export const organizationOf = (token: string): unknown => claimsOf(token).org;
