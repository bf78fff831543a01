import { PASSWORD_LENGTH } from "#contracts/identity-bodies";
import type { Issue } from "#shared/foundation/faults";
import { runs } from "./keyboard-runs.ts";
import { bare, reduced, SHORTEST_CORE, unit } from "./password-forms.ts";

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

/**
 * What attackers have lists of, in lower case: leaked passwords, and words that many are made of. Whoever lets a password be
 * set brings it, so that no other function carries it.
 */
export type LeakedPasswords = () => readonly string[];

/** Tells whether attackers try a text as it is, or twice; signs do not count. */
const wellKnown = (leaked: LeakedPasswords): ((text: string) => boolean) => {
  const known = new Set(leaked().map(bare));
  return (text) => known.has(text) || known.has(text + text);
};

const isCommon = (password: string, leaked: LeakedPasswords): boolean => {
  if (new Set(password.toLowerCase()).size < FEWEST_DIFFERENT) return true;
  const isKnown = wellKnown(leaked);
  return reduced(password).some((text) => {
    const once = unit(text);
    if (isKnown(text) || isKnown(once)) return true;
    // A few characters over and over are as easy to guess as the few.
    if (once.length < SHORTEST_CORE && text.length >= PASSWORD_LENGTH.min) return true;
    return text.length >= SHORTEST_CORE && (isMadeOfRuns(text) || isRun(once));
  });
};

const issue = (type: string, msg: string): Issue => ({ loc: ["body", "password"], msg, type });

/**
 * What is wrong with a new password, or nothing. `personal` is what an attacker knows of the person: the email, its
 * local part, the organization's name. Source: NIST SP 800-63B-4 §3.1.1.2, ASVS 5.0 V6.2.
 */
export const passwordIssues = (password: string, personal: readonly string[], leaked: LeakedPasswords): Issue[] => {
  const { min, max } = PASSWORD_LENGTH;
  const length = [...password.normalize("NFC")].length;
  if (length < min) return [issue("password_too_short", `The password must have at least ${min} characters.`)];
  if (length > max) return [issue("password_too_long", `The password may have at most ${max} characters.`)];
  const known = new Set(personal.map(bare).filter((text) => text !== ""));
  if (reduced(password).some((text) => known.has(text) || known.has(unit(text)))) {
    return [issue("password_personal", "The password must not be the email or the organization's name.")];
  }
  const common = issue("password_common", "This password is among the first that attackers try.");
  return isCommon(password, leaked) ? [common] : [];
};

/** What an attacker would try first for this person. */
export const personalWords = (email: string, ...names: readonly string[]): string[] => [
  email,
  email.slice(0, email.indexOf("@")),
  ...names,
];
