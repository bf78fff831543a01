import { clearCookie, writeCookie } from "./cookies.ts";
import { newFormGuard } from "./form-token.ts";

/** Of a browser in which somebody has just signed in: everything that it held before is worth nothing now. */
export const enteredCookies = (session: string): string[] => [
  writeCookie("session", session),
  clearCookie("waiting"),
  ...newFormGuard().cookies,
];

/** Of a browser that nobody is signed in in any more. */
export const leftCookies = (): string[] => [clearCookie("session"), clearCookie("waiting"), ...newFormGuard().cookies];
