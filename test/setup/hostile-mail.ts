import { crc32 } from "node:zlib";

/** A zip archive with empty files of these names. */
export const zipOf = (...names: readonly string[]): Buffer => {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const name of names) {
    const bytes = Buffer.from(name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt32LE(crc32(""), 14);
    local.writeUInt16LE(bytes.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(bytes.length, 28);
    entry.writeUInt32LE(offset, 42);
    locals.push(local, bytes);
    entries.push(entry, bytes);
    offset += local.length + bytes.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(names.length, 8);
  end.writeUInt16LE(names.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
};

const head = (...headers: readonly string[]): string =>
  ["From: Mallory <m@evil.test>", "To: help@mail.acme.test", "Subject: Hostile", ...headers].join("\r\n");

const filled = (text: string, bytes: number): string => text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes);

/** Multiparts within each other. */
const nested = (depth: number): string => {
  const opening = Array.from(
    { length: depth },
    (_, level) => `Content-Type: multipart/mixed; boundary="b${level}"\r\n\r\n--b${level}`,
  );
  return `${head(opening[0] ?? "")}\r\n${opening.slice(1).join("\r\n")}\r\n\r\nHello.\r\n`;
};

/** Messages within each other. */
const messages = (depth: number): string =>
  `${`${head("Content-Type: message/rfc822")}\r\n\r\n`.repeat(depth)}${head()}\r\n\r\nHello.\r\n`;

const parts = (count: number): string =>
  `${head('Content-Type: multipart/mixed; boundary="x"')}\r\n\r\n${"--x\r\nContent-Type: text/plain\r\n\r\na\r\n".repeat(count)}--x--\r\n`;

const base64 = (content: string): string =>
  `${head("Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64")}\r\n\r\n${content}\r\n`;

/** Name → a mail that somebody has made to do harm, with about so many bytes. */
export const hostileMails: Readonly<Record<string, (bytes: number) => string>> = {
  "many short headers": (bytes) => `${head(filled("X-A: b\r\n", bytes))}\r\n\r\nHello.`,
  "10,000 headers": () =>
    `${head(...Array.from({ length: 10_000 }, (_, index) => `X-${index}: ${index}`))}\r\n\r\nHello.`,
  "one long header": (bytes) => `${head(`X-A: ${filled("a", bytes)}`)}\r\n\r\nHello.`,
  "a header that is folded for ever": (bytes) => `${head(`X-A: a${filled("\r\n b", bytes)}`)}\r\n\r\nHello.`,
  "a header without an end": (bytes) => `${head()}\r\n${filled("a", bytes)}`,
  "addresses without an end": (bytes) => `${head(`Cc: ${filled('"a" <a@b.test>, ', bytes)}`)}\r\n\r\nHello.`,
  "quotes in an address": (bytes) => `${head(`Cc: ${filled('"\\', bytes)}`)}\r\n\r\nHello.`,
  "brackets in an address": (bytes) => `${head(`Cc: ${filled("<(", bytes)}`)}\r\n\r\nHello.`,
  "groups in groups": (bytes) => `${head(`Cc: ${filled("a:", bytes)}`)}\r\n\r\nHello.`,
  "encoded words": (bytes) => `${head(`X-A: ${filled("=?utf-8?q?=41?= ", bytes)}`)}\r\n\r\nHello.`,
  "an encoded subject": (bytes) => `${head(`Subject: ${filled("=?utf-8?b?QUFB?=", bytes)}`)}\r\n\r\nHello.`,
  "references without an end": (bytes) => `${head(`References: ${filled("<a@b.test> ", bytes)}`)}\r\n\r\nHello.`,
  "open references": (bytes) => `${head(`References: ${filled("<", bytes)}`)}\r\n\r\nHello.`,
  "parameters without an end": (bytes) =>
    `${head(`Content-Type: text/plain; ${filled("a*0*=utf-8''%41; ", bytes)}`)}\r\n\r\nHello.`,
  "parts in parts": (bytes) => nested(Math.ceil(bytes / 60)),
  "messages in messages": (bytes) => messages(Math.ceil(bytes / 100)),
  "many parts": (bytes) => parts(Math.ceil(bytes / 35)),
  "lines that look like parts": (bytes) =>
    `${head('Content-Type: multipart/mixed; boundary="x"')}\r\n\r\n--x\r\n\r\n${filled("--y\r\n", bytes)}`,
  "empty lines": (bytes) => `${head()}\r\n\r\n${filled("\n", bytes)}`,
  "one long line": (bytes) => `${head()}\r\n\r\n${filled("a", bytes)}`,
  "base64 that is none": (bytes) => base64(filled("!@#$=", bytes)),
  "base64 with breaks": (bytes) => base64(filled("Q\r\nU\r\nF\r\nB\r\n", bytes)),
  "quoted-printable that is none": (bytes) =>
    `${head("Content-Transfer-Encoding: quoted-printable")}\r\n\r\n${filled("=Z=\r\n=", bytes)}`,
  "a charset that does not exist": (bytes) =>
    `${head("Content-Type: text/plain; charset=no-such-charset")}\r\n\r\n${filled("\xff\xfe", bytes)}`,
  "UTF-7": (bytes) => `${head("Content-Type: text/html; charset=utf-7")}\r\n\r\n${filled("+ADw-script+AD4-", bytes)}`,
  "UTF-16 with odd bytes": (bytes) =>
    `${head("Content-Type: text/plain; charset=utf-16le")}\r\n\r\n${filled("\xd8", bytes | 1)}`,
  "flowed text": (bytes) => `${head("Content-Type: text/plain; format=flowed")}\r\n\r\n${filled("> > a \r\n", bytes)}`,
  "deep HTML": (bytes) => `${head("Content-Type: text/html")}\r\n\r\n${filled("<div><blockquote>", bytes)}`,
  "HTML with open tags": (bytes) => `${head("Content-Type: text/html")}\r\n\r\n${filled("<a href='", bytes)}`,
  "HTML with entities": (bytes) => `${head("Content-Type: text/html")}\r\n\r\n${filled("&amp;&#x", bytes)}`,
  "an alternative in which only HTML is": (bytes) =>
    `${head('Content-Type: multipart/alternative; boundary="x"')}\r\n\r\n--x\r\nContent-Type: text/html\r\n\r\n${filled("<p>a<table><tr>", bytes)}`,
  "a boundary without a name": (bytes) =>
    `${head('Content-Type: multipart/mixed; boundary=""')}\r\n\r\n${filled("--\r\n\r\n", bytes)}`,
  "uuencode and yEnc": (bytes) => `${head()}\r\n\r\nbegin 644 a.exe\r\n${filled("M8&)C\r\n", bytes)}`,
};
