import { PASSWORD_LENGTH } from "#contracts/identity-bodies";
import type { Issue } from "#shared/foundation/faults";
import { sequences } from "./character-sequences.ts";
import { bare, reduced, SHORTEST_CORE, unit } from "./password-forms.ts";

const isRun = (text: string): boolean => {
  const backwards = [...text].reverse().join("");
  return sequences.some((run) => run.includes(text) || run.includes(backwards));
};

/** Shorter parts of a run occur in ordinary text. */
const SHORTEST_RUN = 4;

/** Whether a text consists only of runs, such as `qwerty` + `123456`. */
const isMadeOfRuns = (text: string): boolean => {
  const ends = new Set([0]);
  for (let end = SHORTEST_RUN; end <= text.length; end += 1) {
    const found = [...ends].some((start) => end - start >= SHORTEST_RUN && isRun(text.slice(start, end)));
    if (found) ends.add(end);
  }
  return ends.has(text.length);
};

/** Passwords with fewer different characters are refused. */
const FEWEST_DIFFERENT = 4;

/**
 * Leaked passwords, and words that many contain, in lower case. It is passed in by the handlers that set passwords, so
 * that the bundles of other functions do not contain it.
 */
export type LeakedPasswords = () => readonly string[];

/** Whether a text is in the list, once or repeated, ignoring signs. */
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
    // A repetition of a few characters is as easy to guess as these characters.
    if (once.length < SHORTEST_CORE && text.length >= PASSWORD_LENGTH.min) return true;
    return text.length >= SHORTEST_CORE && (isMadeOfRuns(text) || isRun(once));
  });
};

const issue = (type: string, msg: string): Issue => ({ loc: ["body", "password"], msg, type });

/**
 * The reasons to refuse a new password, or none. `personal` is what an attacker knows about the person: the email, its
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

/** The words that an attacker would try first for this person. */
export const personalWords = (email: string, ...names: readonly string[]): string[] => [
  email,
  email.slice(0, email.indexOf("@")),
  ...names,
];
