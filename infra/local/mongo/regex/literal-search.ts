import { countWork } from "../foundation/budget.ts";

/** Characters to be matched without regard to letter case; undefined matches any character. */
type Piece = readonly (string | undefined)[];

/** `^a(?>.*?b)(?>.*?c).*d\z`: a text that begins with a, then contains b and c in this order, and ends with d. */
interface Pieces {
  readonly first: Piece | undefined;
  readonly middle: readonly Piece[];
  readonly last: Piece | undefined;
  /** The text ends where the first piece does. */
  readonly whole: boolean;
}

const syntax = /[\^$\\.*+?()[\]{}|]/;

function readPieces(pattern: string): Pieces | undefined {
  let at = 0;
  const take = (text: string): boolean => {
    if (!pattern.startsWith(text, at)) return false;
    at += text.length;
    return true;
  };
  const piece = (): Piece => {
    const characters: (string | undefined)[] = [];
    while (at < pattern.length) {
      const char = String.fromCodePoint(pattern.codePointAt(at) as number);
      const next = pattern[at + 1];
      if (char === "." && next !== "*") characters.push(undefined);
      else if (char === "\\" && next !== undefined && !/[A-Za-z0-9]/.test(next)) {
        at++;
        characters.push(String.fromCodePoint(pattern.codePointAt(at) as number));
      } else if (!syntax.test(char)) characters.push(char);
      else break;
      at += (characters.at(-1) ?? ".").length;
    }
    return characters;
  };
  if (!take("^")) {
    const only = piece();
    const ends = take("\\z");
    if (only.length === 0 || at < pattern.length) return undefined;
    return { first: undefined, middle: ends ? [] : [only], last: ends ? only : undefined, whole: false };
  }
  const first = piece();
  const middle: Piece[] = [];
  while (take("(?>.*?")) {
    middle.push(piece());
    if (!take(")")) return undefined;
  }
  const last = take(".*") ? piece() : undefined;
  const whole = take("\\z") && last === undefined;
  const isComplete = at === pattern.length && (last === undefined || pattern.endsWith("\\z"));
  return isComplete && !(whole && middle.length > 0) ? { first, middle, last, whole } : undefined;
}

const widthOf = (point: number): number => (point > 0xffff ? 2 : 1);
const keptCharacters = 4_096;
const charactersBetweenCharges = 1_024;

/** Whether two characters are equal under the option `i`. */
const sameCharacter = (a: string, b: string): boolean =>
  a === b || new RegExp(`^${a.replace(syntax, "\\$&")}$`, "iu").test(b);

/**
 * Finds a piece in a text with one bit for each of its characters (the Shift-And algorithm). The time is proportional
 * to the length of the text times the length of the piece / 32, in every case.
 */
function finder(piece: Piece): {
  startsAt(text: string, at: number): number;
  find(text: string, from: number): number;
} {
  const words = Math.ceil(piece.length / 32);
  const masks = new Map<number, Int32Array>();
  const maskOf = (point: number): Int32Array => {
    const known = masks.get(point);
    if (known !== undefined) return known;
    countWork(piece.length);
    const mask = new Int32Array(words);
    const char = String.fromCodePoint(point);
    piece.forEach((wanted, i) => {
      if (wanted === undefined || sameCharacter(wanted, char)) (mask[i >> 5] as number) |= 1 << (i & 31);
    });
    if (masks.size >= keptCharacters) masks.clear();
    masks.set(point, mask);
    return mask;
  };
  const holds = (mask: Int32Array, i: number): boolean => ((mask[i >> 5] as number) & (1 << (i & 31))) !== 0;
  return {
    /** The end of the piece that begins at `at`, or -1. */
    startsAt(text, at) {
      let end = at;
      for (let i = 0; i < piece.length; i++) {
        const point = text.codePointAt(end);
        if (point === undefined || !holds(maskOf(point), i)) return -1;
        end += widthOf(point);
      }
      return end;
    },
    /** The end of the first occurrence after `from`, or -1. */
    find(text, from) {
      const state = new Int32Array(words);
      const goal = piece.length - 1;
      let uncharged = 0;
      for (let at = from; at < text.length; ) {
        if (++uncharged === charactersBetweenCharges) {
          countWork((uncharged * (words + 1)) >> 3);
          uncharged = 0;
        }
        const point = text.codePointAt(at) as number;
        const mask = maskOf(point);
        let carried = 1;
        for (let word = 0; word < words; word++) {
          const before = state[word] as number;
          state[word] = ((before << 1) | carried) & (mask[word] as number);
          carried = before >>> 31;
        }
        at += widthOf(point);
        if (holds(state, goal)) return at;
      }
      return -1;
    },
  };
}

/** The start of the last `count` characters, or -1. */
function lastCharacters(text: string, count: number): number {
  let at = text.length;
  for (let i = 0; i < count; i++) {
    if (at === 0) return -1;
    at--;
    const pairs = at > 0 && (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
    if (pairs) at--;
  }
  return at;
}

/** A test for patterns of this form with the options `i` and `s`; undefined for other patterns. */
export function piecesTest(pattern: string): ((text: string) => boolean) | undefined {
  const pieces = readPieces(pattern);
  if (pieces === undefined || pieces.middle.some(({ length }) => length === 0)) return undefined;
  const first = finder(pieces.first ?? []);
  const middle = pieces.middle.map(finder);
  const last = finder(pieces.last ?? []);
  const lastLength = pieces.last?.length ?? 0;
  return (text) => {
    countWork(4 + (text.length >> 5));
    let at = first.startsAt(text, 0);
    for (const piece of middle) {
      if (at < 0) return false;
      at = piece.find(text, at);
    }
    if (at < 0 || (pieces.whole && at < text.length)) return false;
    const start = lastCharacters(text, lastLength);
    return start >= at && last.startsAt(text, start) >= 0;
  };
}
