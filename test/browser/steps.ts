import type { Page } from "playwright-core";
import { mailsTo, type User } from "../platform.ts";

/** A person's actions on the pages, and what they look for. */

export const sees = (page: Page, heading: string | RegExp): Promise<void> =>
  page.getByRole("heading", { level: 1, name: heading }).waitFor();

export const isTold = (page: Page, problem: string | RegExp): Promise<void> =>
  page.getByRole("alert").filter({ hasText: problem }).waitFor();

export const press = (page: Page, button: string | RegExp): Promise<void> =>
  page.getByRole("button", { name: button, exact: true }).click();

export const typeCredentials = async (page: Page, { email, password }: Pick<User, "email" | "password">) => {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await press(page, "Sign in");
};

export const typeCode = async (page: Page, code: string): Promise<void> => {
  await page.getByLabel("Code").fill(code);
  await press(page, "Continue");
};

export const allow = async (page: Page): Promise<void> => {
  await sees(page, /^Allow /);
  await press(page, "Allow");
};

/** The latest code that was mailed to the address. */
export const mailedLink = async (email: string): Promise<string> =>
  (await mailsTo(email)).map(({ text }) => /^http\S+$/m.exec(text)?.[0]).findLast((link) => link !== undefined) ?? "";
