import { countWork } from "../foundation/budget.ts";
import { Doc, NewField, type Piece, Run, readValue } from "./document.ts";
import { checkSize, estimateField } from "./estimated-size.ts";
import { readName, skipValue } from "./reader.ts";
import type { Maybe, Value } from "./types.ts";

/** The field stays as it is. */
export const kept = Symbol("kept");

/** The field that is visited. Its value is decoded when it is read. */
export interface VisitedField {
  readonly key: string;
  value(): Value;
}

/** The new value of a field, or `kept`. Undefined leaves the field out. */
export type Change = (field: VisitedField) => Maybe | typeof kept;

/**
 * The document with changed fields, and with new ones after them. Of a document that has bytes, what is kept is neither
 * decoded nor written again: the result refers to the bytes. The estimated size of other documents is known if it was
 * known of `doc`.
 */
export function splice(doc: Doc, change: Change, added?: () => Iterable<readonly [string, Maybe]>): Doc {
  const { buf, off, pieces } = doc;
  if (buf === undefined && pieces === undefined) return spliceFields(doc, change, added);
  const result = new Splice(doc.estimatedSize as number, change);
  if (pieces === undefined) result.run(buf as Buffer, off + 4, off + (doc.estimatedSize as number) - 1);
  else
    for (const piece of pieces) {
      if (piece instanceof Run) result.run(piece.buf, piece.start, piece.end, piece);
      else result.field(piece);
    }
  if (added !== undefined) for (const [key, value] of added()) result.add(key, value);
  return result.isChanged ? Doc.ofPieces(result.pieces, checkSize(result.size)) : doc;
}

class Splice implements VisitedField {
  readonly pieces: Piece[] = [];
  readonly #change: Change;
  size: number;
  isChanged = false;
  key = "";
  #buf: Buffer | undefined;
  #type = 0;
  #at = 0;
  #value: Maybe;

  constructor(size: number, change: Change) {
    this.size = size;
    this.#change = change;
  }

  value(): Value {
    if (this.#value === undefined) this.#value = readValue(this.#buf as Buffer, this.#type, this.#at);
    return this.#value;
  }

  run(buf: Buffer, start: number, end: number, whole?: Run): void {
    this.#buf = buf;
    let from = start;
    let fields = 0;
    for (let at = start; at < end; fields++) {
      let p = at + 1;
      while (buf[p] !== 0) p++;
      this.key = readName(buf, at + 1, p);
      this.#type = buf[at] as number;
      this.#at = p + 1;
      this.#value = undefined;
      const next = skipValue(buf, this.#type, p + 1);
      const value = this.#change(this);
      if (value !== kept && (value === undefined || value !== this.#value)) {
        if (from < at) this.pieces.push(new Run(buf, from, at));
        from = next;
        this.size -= next - at;
        this.isChanged = true;
        this.add(this.key, value);
      }
      at = next;
    }
    if (from < end) this.pieces.push(from === start && whole !== undefined ? whole : new Run(buf, from, end));
    countWork(fields >> 4);
  }

  field(field: NewField): void {
    this.key = field.key;
    this.#value = field.value;
    const value = this.#change(this);
    if (value === kept || value === field.value) {
      this.pieces.push(field);
      return;
    }
    this.isChanged = true;
    this.size -= estimateField(field.key, field.value);
    this.add(field.key, value);
  }

  add(key: string, value: Maybe): void {
    if (value === undefined) return;
    this.isChanged = true;
    this.size += estimateField(key, value);
    this.pieces.push(new NewField(key, value));
  }
}

function spliceFields(doc: Doc, change: Change, added?: () => Iterable<readonly [string, Maybe]>): Doc {
  const { keys: names, values: olds, estimatedSize: before } = doc;
  const keys: string[] = [];
  const values: Value[] = [];
  let grown = 0;
  const add = (key: string, value: Maybe, old: Maybe): void => {
    // Only the difference is computed: a value that grows with every stage is refused as soon as it is too large.
    if (before !== undefined && value !== old) grown += estimateField(key, value) - estimateField(key, old);
    if (value === undefined) return;
    keys.push(key);
    values.push(value);
  };
  const visited = { key: "", held: null as Value, value: () => visited.held };
  for (let i = 0; i < names.length; i++) {
    visited.key = names[i] as string;
    visited.held = olds[i] as Value;
    const value = change(visited);
    add(visited.key, value === kept ? visited.held : value, visited.held);
  }
  countWork(names.length >> 4);
  if (added !== undefined) for (const [key, value] of added()) add(key, value, undefined);
  const result = Doc.of(keys, values);
  if (before !== undefined) result.estimatedSize = checkSize(Math.max(5, before + grown));
  return result;
}
