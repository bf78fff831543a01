import type { User } from "../../platform.ts";
import { type App, proofKey, REDIRECT, registerApp } from "../identity/apps.ts";
import { authorizationPath, type Browser, type Page } from "./browser.ts";

export interface AskingApp extends App {
  readonly verifier: string;
  readonly challenge: string;
  /** The redirect URI. */
  readonly request: (more?: Record<string, string | undefined>) => string;
}

/** A public client of the owner's organization. */
export const askingApp = async (owner: User, more: Record<string, unknown> = {}): Promise<AskingApp> => {
  const app = await registerApp(owner.token, { type: "public", ...more });
  const { verifier, challenge } = proofKey();
  const parameters = {
    client_id: app.client_id,
    redirect_uri: REDIRECT,
    state: 'a "state" <&>',
    code_challenge: challenge,
    code_challenge_method: "S256",
  };
  return { ...app, verifier, challenge, request: (others = {}) => authorizationPath({ ...parameters, ...others }) };
};

type Person = Pick<User, "email" | "password">;

/** The page after the one that asks for email and password. */
export const enterPassword = async (browser: Browser, { email, password }: Person, path: string): Promise<Page> =>
  browser.submit(await browser.open(path), "password", { username: email, password });
