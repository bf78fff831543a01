import { newOutput } from "./byte-output.ts";
import { Doc } from "./document.ts";
import { maxDocumentSize, tooLarge } from "./limits.ts";
import { readInt32 } from "./reader.ts";
import { writeDocument } from "./writer.ts";

const scratch = newOutput(64 * 1024);

/** Small documents share slabs, so that one allocation serves many. */
const slabSize = 32 * 1024;
let slab = Buffer.allocUnsafeSlow(slabSize);
let slabAt = 0;

function copyToSlab(source: Buffer, start: number, end: number): Doc {
  const length = end - start;
  if (length > maxDocumentSize) throw tooLarge(length);
  if (length > slabSize / 4) {
    const own = Buffer.allocUnsafeSlow(length);
    source.copy(own, 0, start, end);
    return Doc.at(own, 0);
  }
  if (slabAt + length > slabSize) {
    slab = Buffer.allocUnsafeSlow(slabSize);
    slabAt = 0;
  }
  source.copy(slab, slabAt, start, end);
  const doc = Doc.at(slab, slabAt);
  slabAt += length;
  return doc;
}

/** A copy with bytes of its own, independent of the message or file that the document came from. */
export function withOwnBytes(doc: Doc): Doc {
  if (doc.buf !== undefined) return copyToSlab(doc.buf, doc.off, doc.off + readInt32(doc.buf, doc.off));
  scratch.at = 0;
  writeDocument(scratch, doc);
  return copyToSlab(scratch.buf, 0, scratch.at);
}

export function documentSize(doc: Doc): number {
  if (doc.buf !== undefined) return readInt32(doc.buf, doc.off);
  scratch.at = 0;
  writeDocument(scratch, doc);
  return scratch.at;
}

/** The document as bytes, for one that is measured first and sent afterwards. */
export function encoded(doc: Doc): Doc {
  if (doc.buf !== undefined) return doc;
  scratch.at = 0;
  writeDocument(scratch, doc);
  const own = Buffer.allocUnsafe(scratch.at);
  scratch.buf.copy(own, 0, 0, scratch.at);
  return Doc.at(own, 0);
}
