/**
 * What a spreadsheet treats as a formula (https://owasp.org/www-community/attacks/CSV_Injection), also with full-width
 * signs, and after blanks and apostrophes. Apostrophes count, so that the escaping can be undone exactly.
 */
const FORMULA = /^['\s]*[=+\-@＝＋－＠]|^'*[\t\r\n]/;

/**
 * Numbers are harmless. A leading plus does not count as a number, because a spreadsheet would drop that of a telephone
 * number.
 */
const NUMBER = /^-\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Text for a CSV cell that a spreadsheet does not run: with an apostrophe before it if necessary. */
export const harmless = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

/** The original text. */
export const original = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text;
