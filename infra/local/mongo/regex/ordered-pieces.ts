/** One character: any (`.`), itself, or itself behind a backslash. Never a quantifier, a group or a class. */
const character = "(?:\\.|\\\\[^A-Za-z0-9]|[^\\\\^$.*+?()[\\]{}|])";
const form = new RegExp(
  `^\\^${character}*(?:\\(\\?>\\.\\*\\?${character}+\\))+(?:\\.\\*${character}+(?:\\\\z)?)?$`,
  "s",
);
const group = /\(\?>(\.\*\?(?:\\.|[^\\)])+)\)/gs;

/**
 * Rewrites the atomic groups of `^a(?>.*?b)(?>.*?c).*d\z`, which asks whether pieces of text follow each other in this
 * order; any other pattern is returned as it is. Each piece has a fixed number of characters, so its first place is as
 * good as any later one, and a plain group matches the same texts as the atomic one.
 */
export const rewriteOrderedPieces = (pattern: string, write: (piece: string, index: number) => string): string => {
  if (!form.test(pattern)) return pattern;
  let index = 0;
  return pattern.replace(group, (_, piece: string) => write(piece, ++index));
};
