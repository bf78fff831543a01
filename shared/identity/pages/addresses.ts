import type { BrowserRequest } from "../identity.ts";

const NAMES = [
  "response_type",
  "client_id",
  "redirect_uri",
  "state",
  "scope",
  "code_challenge",
  "code_challenge_method",
] as const satisfies readonly (keyof BrowserRequest)[];

/** The address of a page or step, with the app's request in its query. Each of them validates the request again. */
const withRequest = (path: string, request: BrowserRequest): string => {
  const parameters = new URLSearchParams();
  for (const name of NAMES) {
    const value = request[name];
    if (value !== undefined) parameters.set(name, value);
  }
  return parameters.size === 0 ? path : `${path}?${parameters}`;
};

export const firstPage = (request: BrowserRequest): string => withRequest("/v1/oauth2/authorize", request);

export type StepName = "password" | "code" | "approval" | "decision" | "sign-out" | "forgot-password";

export const stepAddress = (step: StepName, request: BrowserRequest): string =>
  withRequest(`/v1/sign-in/${step}`, request);
