import { createSocket } from "node:dgram";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The records of one name. A name without any file does not exist. */
export interface Records {
  readonly TXT?: readonly string[];
  readonly MX?: readonly (readonly [priority: number, exchange: string])[];
  readonly A?: readonly string[];
  /** Instead of an answer. */
  readonly fails?: "SERVFAIL" | "silence";
}

const types: Readonly<Record<number, "A" | "MX" | "TXT">> = { 1: "A", 15: "MX", 16: "TXT" };
const RCODE = { none: 0, SERVFAIL: 2, NXDOMAIN: 3 } as const;

const nameBytes = (name: string): Buffer =>
  Buffer.concat([
    ...name
      .split(".")
      .filter((label) => label !== "")
      .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ]);

const textBytes = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  const parts = [];
  for (let start = 0; start < bytes.length || start === 0; start += 255) {
    const part = bytes.subarray(start, start + 255);
    parts.push(Buffer.from([part.length]), part);
  }
  return Buffer.concat(parts);
};

const mailBytes = ([priority, exchange]: readonly [number, string]): Buffer => {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(priority);
  return Buffer.concat([head, nameBytes(exchange)]);
};

const datasOf = (records: Records, type: "A" | "MX" | "TXT" | undefined): Buffer[] => {
  if (type === "TXT") return (records.TXT ?? []).map(textBytes);
  if (type === "MX") return (records.MX ?? []).map(mailBytes);
  return type === "A" ? (records.A ?? []).map((address) => Buffer.from(address.split(".").map(Number))) : [];
};

const answerBytes = (type: number, data: Buffer): Buffer => {
  const head = Buffer.alloc(12);
  // A pointer to the name of the question.
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
};

const fileOf = (folder: string, name: string): string => join(folder, `${name.toLowerCase()}.json`);

const recordsOf = (folder: string, name: string): Records | undefined => {
  try {
    return JSON.parse(readFileSync(fileOf(folder, name), "utf8"));
  } catch {
    return undefined;
  }
};

const respond = (folder: string, query: Buffer): Buffer | undefined => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString());
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  const records = recordsOf(folder, labels.join("."));
  if (records?.fails === "silence") return undefined;
  const code = records === undefined ? "NXDOMAIN" : (records.fails ?? "none");
  const datas = records === undefined || records.fails ? [] : datasOf(records, types[type]);
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 | RCODE[code], 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(datas.length, 6);
  return Buffer.concat([head, query.subarray(12, at + 5), ...datas.map((data) => answerBytes(type, data))]);
};

/** A DNS server that answers from a folder with one file for each name. */
export const startDns = async (folder: string): Promise<{ readonly server: string; stop(): Promise<void> }> => {
  await mkdir(folder, { recursive: true });
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const answer = respond(folder, query);
    if (answer !== undefined) socket.send(answer, port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    server: `127.0.0.1:${socket.address().port}`,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
};

/** Gives a name its records. */
export const setRecords = (folder: string, name: string, records: Records): Promise<void> =>
  writeFile(fileOf(folder, name), JSON.stringify(records));
