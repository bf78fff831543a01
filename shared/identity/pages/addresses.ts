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

/** A page or step of ours with the app's request, which every one of them reads anew and believes nothing of. */
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
