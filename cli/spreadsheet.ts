/**
 * What a spreadsheet takes for a formula (https://owasp.org/www-community/attacks/CSV_Injection), the wide forms of the signs too,
 * behind blanks and apostrophes. Apostrophes count, so that one more can be put before them and one taken away again.
 */
const FORMULA = /^['\s]*[=+\-@＝＋－＠]|^'*[\t\r\n]/;

/** Runs nothing. A plus is none of these: a spreadsheet would drop that of a telephone number. */
const NUMBER = /^-\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Text for a CSV cell that a spreadsheet shows and does not run: with an apostrophe before it, if need be. */
export const harmless = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

/** The text that was made harmless. */
export const original = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text;
