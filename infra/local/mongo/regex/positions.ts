/** A token of a pattern in RE2's syntax. */
export interface Token {
  readonly kind: "atom" | "open" | "close" | "bar" | "quantifier" | "start" | "lineStart" | "end" | "nothing";
  readonly text: string;
  readonly captures?: boolean;
}

const takesPart = (token: Token | undefined): boolean => token?.kind === "quantifier";
const isRepetition = (token: Token | undefined): boolean => takesPart(token) && !token?.text.startsWith("?");

/** Whether no part of the pattern follows this position, on any path of the match. */
export function isTail(tokens: readonly Token[], at: number): boolean {
  for (let i = at + 1; i < tokens.length; ) {
    const { kind } = tokens[i] as Token;
    if (kind === "bar") i = closeOf(tokens, i);
    else if (kind === "close") {
      if (isRepetition(tokens[i + 1])) return false;
      i += takesPart(tokens[i + 1]) ? 2 : 1;
    } else if (kind === "end") i++;
    else return false;
  }
  return true;
}

/** Whether no part of the pattern precedes this position. */
export function isHead(tokens: readonly Token[], at: number): boolean {
  if (takesPart(tokens[at + 1])) return false;
  for (let i = at - 1; i >= 0; ) {
    const { kind } = tokens[i] as Token;
    if (kind === "bar") i = openOf(tokens, i);
    else if (kind === "open") {
      if (isRepetition(tokens[closeOf(tokens, i + 1) + 1])) return false;
      i--;
    } else if (kind === "lineStart") i--;
    else return false;
  }
  return true;
}

/** The end of the group that contains a position; outside of groups the end of the pattern. */
function closeOf(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (let i = from; i < tokens.length; i++) {
    const { kind } = tokens[i] as Token;
    if (kind === "open") depth++;
    else if (kind === "close" && depth-- === 0) return i;
  }
  return tokens.length;
}

function openOf(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (let i = from; i >= 0; i--) {
    const { kind } = tokens[i] as Token;
    if (kind === "close") depth++;
    else if (kind === "open" && depth-- === 0) return i;
  }
  return -1;
}
