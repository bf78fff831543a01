import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A signed request of the email vendor, as its webhook sends it. */
export interface SignedWebhook {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface DemoVendors {
  /** The origin of an email vendor with the API of SendGrid. */
  readonly origin: string;
  /** Its key for webhooks, as Standard Webhooks write it. */
  readonly webhookSecret: string;
  /** `address:port` of a DNS server. */
  readonly dns: string;
  /** Lets the DNS answer a TXT question. */
  readonly setText: (name: string, value: string) => void;
  readonly sign: (body: string, contentType: string) => SignedWebhook;
  readonly stop: () => Promise<void>;
}

const text = async (request: IncomingMessage): Promise<string> => {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body;
};

/** Accepts every mail, and answers as SendGrid does: 202 and an id. */
const emailVendor = () =>
  createServer(async (request, response) => {
    await text(request);
    const isMail = request.method === "POST" && request.url === "/v3/mail/send";
    response.writeHead(isMail ? 202 : 404, isMail ? { "x-message-id": randomBytes(11).toString("base64url") } : {});
    response.end();
  });

/** RFC 1035 §4.1. The length of the header, and the end of the question. */
const HEADER = 12;
const endOfQuestion = (query: Buffer): number => query.indexOf(0, HEADER) + 5;

const nameIn = (query: Buffer): string => {
  const labels: string[] = [];
  for (let at = HEADER; query[at]; at += (query[at] ?? 0) + 1) {
    labels.push(query.toString("latin1", at + 1, at + 1 + (query[at] ?? 0)));
  }
  return labels.join(".").toLowerCase();
};

/** The answer to a question for TXT; to every other one that there is no such name. */
const answerTo = (query: Buffer, value: string | undefined): Buffer => {
  const isFound = value !== undefined && query.readUInt16BE(endOfQuestion(query) - 4) === 16;
  const header = Buffer.from(query.subarray(0, HEADER));
  // A response of an authoritative server (§4.1.1), with one question, and one answer or the code NXDOMAIN.
  header.writeUInt16BE(isFound ? 0x8580 : 0x8583, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(isFound ? 1 : 0, 6);
  header.fill(0, 8);
  const question = query.subarray(HEADER, endOfQuestion(query));
  if (!isFound) return Buffer.concat([header, question]);
  const content = Buffer.from(value, "ascii");
  // A pointer to the name, TXT, IN, one minute, and the length of what follows.
  const record = Buffer.from([0xc0, HEADER, 0, 16, 0, 1, 0, 0, 0, 60, 0, content.length + 1, content.length]);
  return Buffer.concat([header, question, record, content]);
};

/** The third parties of the tour, on this machine: an email vendor, and the DNS of Acme's domain. */
export const startVendors = async (): Promise<DemoVendors> => {
  const vendor = emailVendor().listen(0, "127.0.0.1");
  const texts = new Map<string, string>();
  const dns = createSocket("udp4");
  dns.on("message", (query, { address, port }) => dns.send(answerTo(query, texts.get(nameIn(query))), port, address));
  dns.bind(0, "127.0.0.1");
  await Promise.all([once(vendor, "listening"), once(dns, "listening")]);
  const key = randomBytes(24);
  return {
    origin: `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`,
    webhookSecret: `whsec_${key.toString("base64")}`,
    dns: `127.0.0.1:${dns.address().port}`,
    setText: (name, value) => texts.set(name, value),
    sign: (body, contentType) => {
      const id = `msg_${randomUUID()}`;
      const timestamp = String(Math.floor(Date.now() / 1000));
      const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
      return {
        body,
        headers: {
          "content-type": contentType,
          "webhook-id": id,
          "webhook-timestamp": timestamp,
          "webhook-signature": `v1,${signature}`,
        },
      };
    },
    stop: async () => {
      dns.close();
      vendor.closeAllConnections();
      await new Promise((resolve) => vendor.close(resolve));
    },
  };
};
