import { countWork } from "../foundation/budget.ts";
import { Doc, NewField } from "./document.ts";
import { tooDeep, tooLarge } from "./limits.ts";
import { Binary, Code, type Maybe, Regex, type Value } from "./types.ts";

/** MongoDB's internal limit for a value: a document of full size and a little more. */
const maxValueSize = 16 * 1024 * 1024 + 16 * 1024;
const deepest = 200;

const fixedSize = 12;

/**
 * A lower bound of the bytes that a value takes when it is written. Shared parts count each time they occur, so that a
 * value that doubles with every stage is refused before it is written. The estimate of a document is computed once.
 */
export function estimateSize(value: Value, depth = 0): number {
  switch (typeof value) {
    case "number":
      return 4;
    case "string":
      return value.length + 5;
    case "boolean":
      return 1;
    case "bigint":
      return 8;
    default:
  }
  if (value === null) return 0;
  if (value instanceof Doc) return estimateDoc(value, depth);
  if (Array.isArray(value)) return estimateList(value, depth);
  if (value instanceof Binary) return value.bytes.length + 5;
  if (value instanceof Regex) return value.pattern.length + value.flags.length + 2;
  return value instanceof Code ? value.source.length + 5 : fixedSize - 4;
}

function estimateDoc(doc: Doc, depth: number): number {
  const known = doc.estimatedSize;
  if (known !== undefined) return known;
  if (depth > deepest) throw tooDeep();
  const { keys, values } = doc;
  countWork(keys.length >> 2);
  let estimatedSize = 5;
  for (let i = 0; i < keys.length; i++)
    estimatedSize = checkSize(
      estimatedSize + 2 + (keys[i] as string).length + estimateSize(values[i] as Value, depth + 1),
    );
  doc.estimatedSize = estimatedSize;
  return estimatedSize;
}

function estimateList(items: readonly Value[], depth: number): number {
  if (depth > deepest) throw tooDeep();
  countWork(items.length >> 2);
  let estimatedSize = 5;
  for (const item of items) estimatedSize = checkSize(estimatedSize + 3 + estimateSize(item, depth + 1));
  return estimatedSize;
}

/** Refuses a value that is larger than MongoDB's limit. */
export function checkSize(estimatedSize: number): number {
  if (estimatedSize > maxValueSize) throw tooLarge(estimatedSize);
  return estimatedSize;
}

const fixedMemory = 64;
const memoryOfRun = 48;

/** Bytes that a command holds for a document, the stored bytes not counted. */
export function memoryOf(doc: Doc): number {
  if (doc.buf !== undefined) return 96;
  if (doc.pieces === undefined) return fixedMemory + estimateDoc(doc, 0);
  let memory = fixedMemory;
  for (const piece of doc.pieces)
    memory += piece instanceof NewField ? estimateField(piece.key, piece.value) : memoryOfRun;
  return memory;
}

/** A lower bound of the bytes of a field. */
export const estimateField = (key: string, value: Maybe): number =>
  value === undefined ? 0 : key.length + 2 + estimateSize(value);
