/** A growing buffer that BSON is written into. It is reused: copy its content before the next document is written. */
export interface Output {
  buf: Buffer;
  at: number;
}

export function newOutput(size: number): Output {
  return { buf: Buffer.allocUnsafeSlow(size), at: 0 };
}

export function reserve(out: Output, bytes: number): void {
  const needed = out.at + bytes;
  if (needed <= out.buf.length) return;
  const grown = Buffer.allocUnsafeSlow(Math.max(needed, out.buf.length * 2));
  out.buf.copy(grown, 0, 0, out.at);
  out.buf = grown;
}

export function writeInt32(out: Output, value: number): void {
  reserve(out, 4);
  const { buf, at } = out;
  buf[at] = value;
  buf[at + 1] = value >>> 8;
  buf[at + 2] = value >>> 16;
  buf[at + 3] = value >>> 24;
  out.at = at + 4;
}

export function patchInt32(out: Output, at: number, value: number): void {
  out.buf[at] = value;
  out.buf[at + 1] = value >>> 8;
  out.buf[at + 2] = value >>> 16;
  out.buf[at + 3] = value >>> 24;
}

function writeText(out: Output, text: string): void {
  reserve(out, text.length * 3);
  if (text.length < 24) {
    const { buf } = out;
    let at = out.at;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) {
        out.at += buf.utf8Write(text, out.at);
        return;
      }
      buf[at++] = code;
    }
    out.at = at;
  } else out.at += out.buf.utf8Write(text, out.at);
}

export function writeCString(out: Output, text: string): void {
  writeText(out, text);
  reserve(out, 1);
  out.buf[out.at++] = 0;
}

export function writeString(out: Output, text: string): void {
  const start = out.at;
  reserve(out, 5);
  out.at += 4;
  writeCString(out, text);
  patchInt32(out, start, out.at - start - 4);
}

export function writeBigInt(out: Output, value: bigint): void {
  reserve(out, 8);
  out.buf.writeBigInt64LE(BigInt.asIntN(64, value), out.at);
  out.at += 8;
}

export function writeBytes(out: Output, buf: Buffer, start: number, end: number): void {
  reserve(out, end - start);
  buf.copy(out.buf, out.at, start, end);
  out.at += end - start;
}
