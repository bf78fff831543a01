import { PASSWORD_LENGTH } from "#contracts/identity-bodies";
import type { Issue } from "../faults.ts";
import { commonPasswords, runs } from "./common-passwords.ts";

/** Digits and signs that stand for the letters they look like. */
const lookAlikes: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "3": "e",
  "1": "i",
  "!": "i",
  "0": "o",
  $: "s",
  "5": "s",
  "7": "t",
};

const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** So many digits and signs around a common word add nothing: `password2024!`, `!!!letmein12345`. */
const MAX_DECORATION = 8;

const trimmed = (text: string): string => {
  const core = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "");
  return text.length - core.length <= MAX_DECORATION ? core : text;
};

/** The words that a password may come down to once its decoration is taken off. */
const reduced = (password: string): string[] => {
  const lower = password.toLowerCase();
  const read = (text: string): string => bare(text.replace(/[@431!0$57]/g, (sign) => lookAlikes[sign] ?? sign));
  return [bare(lower), bare(trimmed(lower)), read(lower), read(trimmed(lower))];
};

/** The shortest text that the whole is a repetition of, cut off at the end where need be: `abcabca` → `abc`. */
const unit = (text: string): string => {
  for (let length = 1; length <= text.length / 2; length += 1) {
    if (text.slice(length) === text.slice(0, -length)) return text.slice(0, length);
  }
  return text;
};

const isRun = (text: string): boolean => {
  const backwards = [...text].reverse().join("");
  return runs.some((run) => run.includes(text) || run.includes(backwards));
};

/** Shorter pieces of a run appear in any text by chance. */
const SHORTEST_RUN = 4;

/** Whether a text is keyboard and other runs, one after the other: `qwerty` + `123456` is no better than each of them. */
const isMadeOfRuns = (text: string): boolean => {
  const ends = new Set([0]);
  for (let end = SHORTEST_RUN; end <= text.length; end += 1) {
    const found = [...ends].some((start) => end - start >= SHORTEST_RUN && isRun(text.slice(start, end)));
    if (found) ends.add(end);
  }
  return ends.has(text.length);
};

/** A password with fewer different characters than this can be guessed by their repetition. */
const FEWEST_DIFFERENT = 4;

/** What is left of a password may be too short to say anything about it. */
const SHORTEST_CORE = 6;

const isCommon = (password: string): boolean => {
  if (new Set(password.toLowerCase()).size < FEWEST_DIFFERENT) return true;
  return reduced(password).some((text) => {
    const once = unit(text);
    if (commonPasswords.has(text) || commonPasswords.has(once)) return true;
    return text.length >= SHORTEST_CORE && (isMadeOfRuns(text) || isRun(once));
  });
};

const issue = (type: string, msg: string): Issue => ({ loc: ["body", "password"], msg, type });

/**
 * What is wrong with a new password, or nothing. `personal` is what an attacker knows of the person: the email, its
 * local part, the organization's name. Source: NIST SP 800-63B-4 §3.1.1.2, ASVS 5.0 V6.2.
 */
export const passwordIssues = (password: string, personal: readonly string[]): Issue[] => {
  const { min, max } = PASSWORD_LENGTH;
  const length = [...password.normalize("NFC")].length;
  if (length < min) return [issue("password_too_short", `The password must have at least ${min} characters.`)];
  if (length > max) return [issue("password_too_long", `The password may have at most ${max} characters.`)];
  const known = new Set(personal.map(bare).filter((text) => text !== ""));
  if (reduced(password).some((text) => known.has(text) || known.has(unit(text)))) {
    return [issue("password_personal", "The password must not be the email or the organization's name.")];
  }
  if (isCommon(password)) return [issue("password_common", "This password is among the first that attackers try.")];
  return [];
};

/** What an attacker would try first for this person. */
export const personalWords = (email: string, ...names: readonly string[]): string[] => [
  email,
  email.slice(0, email.indexOf("@")),
  ...names,
];
