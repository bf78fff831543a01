import { readDouble, readInt32, readName, readString, skipValue } from "./reader.ts";
import { readScalar } from "./scalars.ts";
import { Code, double, type Maybe, type Value } from "./types.ts";

/** Adjacent fields of a document, as they are in its bytes. */
export class Run {
  readonly buf: Buffer;
  readonly start: number;
  readonly end: number;
  constructor(buf: Buffer, start: number, end: number) {
    this.buf = buf;
    this.start = start;
    this.end = end;
  }
}

/** A field that is not in the bytes of another document. */
export class NewField {
  readonly key: string;
  readonly value: Value;
  constructor(key: string, value: Value) {
    this.key = key;
    this.value = value;
  }
}

export type Piece = Run | NewField;

/**
 * An immutable BSON document. It is made from bytes (`buf` at `off`), from fields, or from pieces: fields in the bytes
 * of other documents, and new fields. It computes the other forms when needed: filters look fields up in the bytes of a
 * stored document, and a reply copies these bytes without parsing them.
 */
export class Doc {
  buf: Buffer | undefined;
  off: number;
  readonly pieces: readonly Piece[] | undefined;
  #keys: string[] | undefined;
  #values: Value[] | undefined;

  private constructor(
    buf: Buffer | undefined,
    off: number,
    keys?: string[],
    values?: Value[],
    pieces?: readonly Piece[],
  ) {
    this.buf = buf;
    this.off = off;
    this.pieces = pieces;
    this.#keys = keys;
    this.#values = values;
  }

  static at(buf: Buffer, off: number): Doc {
    return new Doc(buf, off);
  }

  static ofPieces(pieces: readonly Piece[], estimatedSize: number): Doc {
    return new Doc(undefined, estimatedSize, undefined, undefined, pieces);
  }

  /** The document owns the arrays from now on. */
  static of(keys: string[], values: Value[]): Doc {
    return new Doc(undefined, 0, keys, values);
  }

  /** Fields whose value is undefined are left out. */
  static from(fields: Record<string, Maybe>): Doc {
    const keys: string[] = [];
    const values: Value[] = [];
    for (const key in fields) {
      const value = fields[key];
      if (value === undefined) continue;
      keys.push(key);
      values.push(value);
    }
    return new Doc(undefined, 0, keys, values);
  }

  static readonly empty = new Doc(undefined, 0, [], []);

  get keys(): readonly string[] {
    if (this.#keys === undefined) this.#parse();
    return this.#keys as string[];
  }

  get values(): readonly Value[] {
    if (this.#values === undefined) this.#parse();
    return this.#values as Value[];
  }

  /** A lower bound of its size in bytes, if it was estimated. A document without bytes keeps the number in `off`. */
  get estimatedSize(): number | undefined {
    if (this.buf !== undefined) return readInt32(this.buf, this.off);
    return this.off === 0 ? undefined : this.off;
  }

  set estimatedSize(estimatedSize: number | undefined) {
    if (this.buf === undefined) this.off = estimatedSize ?? 0;
  }

  get size(): number {
    return this.keys.length;
  }

  get(key: string): Maybe {
    const keys = this.#keys;
    if (keys !== undefined) {
      for (let i = 0; i < keys.length; i++) if (keys[i] === key) return (this.#values as Value[])[i];
      return undefined;
    }
    const { buf, off } = this;
    return buf === undefined
      ? findInPieces(this.pieces as readonly Piece[], key)
      : scan(buf, off + 4, off + readInt32(buf, off) - 1, key);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /**
   * The same bytes without the cache of parsed fields, so that the stored document does not keep what a pipeline
   * parses.
   */
  view(): Doc {
    return this.buf === undefined ? this : new Doc(this.buf, this.off);
  }

  /** Replaces or appends one field. */
  with(key: string, value: Value): Doc {
    const keys = this.keys;
    const at = keys.indexOf(key);
    const values = this.values.slice();
    if (at >= 0) {
      values[at] = value;
      return new Doc(undefined, 0, keys as string[], values);
    }
    values.push(value);
    return new Doc(undefined, 0, [...keys, key], values);
  }

  without(key: string): Doc {
    const at = this.keys.indexOf(key);
    if (at < 0) return this;
    return new Doc(undefined, 0, this.keys.toSpliced(at, 1), this.values.toSpliced(at, 1));
  }

  #parse(): void {
    const keys: string[] = [];
    const values: Value[] = [];
    const { buf, off } = this;
    if (buf !== undefined) parse(buf, off + 4, off + readInt32(buf, off) - 1, keys, values);
    else
      for (const piece of this.pieces as readonly Piece[]) {
        if (piece instanceof Run) parse(piece.buf, piece.start, piece.end, keys, values);
        else {
          keys.push(piece.key);
          values.push(piece.value);
        }
      }
    this.#keys = keys;
    this.#values = values;
  }
}

function parse(buf: Buffer, start: number, end: number, keys: string[], values: Value[]): void {
  for (let at = start; at < end; ) {
    const type = buf[at] as number;
    const nameEnd = buf.indexOf(0, at + 1);
    keys.push(readName(buf, at + 1, nameEnd));
    values.push(readValue(buf, type, nameEnd + 1));
    at = skipValue(buf, type, nameEnd + 1);
  }
}

function findInPieces(pieces: readonly Piece[], key: string): Maybe {
  for (const piece of pieces) {
    if (piece instanceof Run) {
      const value = scan(piece.buf, piece.start, piece.end, key);
      if (value !== undefined) return value;
    } else if (piece.key === key) return piece.value;
  }
  return undefined;
}

function scan(buf: Buffer, start: number, end: number, key: string): Maybe {
  const length = key.length;
  for (let at = start; at < end; ) {
    const type = buf[at] as number;
    let p = at + 1;
    let i = 0;
    while (i < length) {
      const code = key.charCodeAt(i);
      if (code > 127) return scanSlowly(buf, start, end, key);
      // A name ends at its NUL. A comparison must not read beyond it.
      if (buf[p] !== code || code === 0) break;
      i++;
      p++;
    }
    if (i === length && buf[p] === 0) return readValue(buf, type, p + 1);
    while (buf[p] !== 0) p++;
    at = skipValue(buf, type, p + 1);
  }
  return undefined;
}

function scanSlowly(buf: Buffer, start: number, end: number, key: string): Maybe {
  for (let at = start; at < end; ) {
    const type = buf[at] as number;
    const nameEnd = buf.indexOf(0, at + 1);
    if (buf.utf8Slice(at + 1, nameEnd) === key) return readValue(buf, type, nameEnd + 1);
    at = skipValue(buf, type, nameEnd + 1);
  }
  return undefined;
}

export function readValue(buf: Buffer, type: number, at: number): Value {
  switch (type) {
    case 1:
      return double(readDouble(buf, at));
    case 2:
      return readString(buf, at + 4, at + 3 + readInt32(buf, at));
    case 3:
      return Doc.at(buf, at);
    case 4:
      return readArray(buf, at);
    case 8:
      return buf[at] === 1;
    case 10:
      return null;
    case 15: {
      const length = readInt32(buf, at + 4);
      return new Code(buf.utf8Slice(at + 8, at + 7 + length), Doc.at(buf, at + 8 + length));
    }
    case 16:
      return readInt32(buf, at);
    default:
      return readScalar(buf, type, at);
  }
}

function readArray(buf: Buffer, off: number): Value[] {
  const items: Value[] = [];
  let at = off + 4;
  for (let type = buf[at] as number; type !== 0; type = buf[at] as number) {
    let p = at + 1;
    while (buf[p] !== 0) p++;
    items.push(readValue(buf, type, p + 1));
    at = skipValue(buf, type, p + 1);
  }
  return items;
}
