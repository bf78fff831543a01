import fc from "fast-check";
import { simpleParser } from "mailparser";
import MailComposer from "nodemailer/lib/mail-composer/index.js";
import { describe, expect, it, test } from "vitest";
import { isAutomatic } from "#shared/messaging/inbound/automatic";
import { dangerOf } from "#shared/messaging/inbound/files";
import { parseMultipart } from "#shared/messaging/inbound/multipart";
import { parseMime } from "#shared/messaging/inbound/parse-mime";
import { readMail } from "#shared/messaging/inbound/read-mail";
import { hostileMails, zipOf } from "../../setup/hostile-mail.ts";
import { formOf } from "../../setup/webhooks.ts";

const compose = (mail: object): Promise<Buffer> => new MailComposer(mail).compile().build();

describe("a benign mail is read as mailparser reads it", () => {
  const base = { from: "Ada <ada@b.test>", to: ["Bob <bob@c.test>", "d@e.test"], subject: "Hello", text: "Hello." };
  const mails: Record<string, object> = {
    "plain text": base,
    "accents everywhere": { ...base, subject: "Grüße aus Köln ✓", text: "Schöne Grüße ✓", from: "Ädä <ada@b.test>" },
    "HTML alone": { ...base, text: undefined, html: "<p>Hello <b>you</b></p>" },
    "both bodies": { ...base, html: "<p>Hello.</p>" },
    "files and an inline image": {
      ...base,
      html: '<img src="cid:x@y">',
      attachments: [
        { filename: "a b.pdf", content: Buffer.from("%PDF-1") },
        { filename: "ü.txt", content: "text" },
        { filename: "p.png", content: Buffer.from("\x89PNG"), cid: "x@y" },
      ],
    },
    "a reply": { ...base, inReplyTo: "<a@b.test>", references: ["<x@y.test>", "<a@b.test>"], replyTo: "r@s.test" },
    "quoted-printable": { ...base, text: "=".repeat(200), textEncoding: "quoted-printable" },
    base64: { ...base, text: "long ".repeat(500), textEncoding: "base64" },
  };
  it.each(Object.entries(mails))("%s", async (_, mail) => {
    const raw = await compose({ ...mail, date: new Date("2026-11-16T10:00:00Z"), messageId: "<id@b.test>" });
    const [ours, theirs] = [await parseMime(raw), await simpleParser(raw, { keepCidLinks: true })];
    const lists = (one: typeof theirs.to) =>
      (Array.isArray(one) ? one : one ? [one] : []).flatMap(({ value }) => value);
    expect(ours.from).toEqual({ email: theirs.from?.value[0]?.address, name: theirs.from?.value[0]?.name });
    expect(ours.to.map(({ email }) => email)).toEqual(lists(theirs.to).map(({ address }) => address));
    expect(ours.reply_to?.email).toBe(theirs.replyTo?.value[0]?.address);
    expect(ours.subject).toBe(theirs.subject);
    expect(ours.message_id).toBe(theirs.messageId?.slice(1, -1));
    expect(ours.in_reply_to).toBe(theirs.inReplyTo?.slice(1, -1));
    expect(ours.references).toEqual([theirs.references ?? []].flat().map((id) => id.slice(1, -1)));
    expect(ours.date).toEqual(theirs.date);
    if (typeof theirs.html !== "string") expect(ours.text?.trim()).toBe(theirs.text?.trim());
    else expect(ours.html?.trim()).toBe(String(theirs.html).trim());
    expect(ours.attachments.map(({ filename, content }) => [filename, Buffer.from(content)])).toEqual(
      theirs.attachments.map(({ filename, content }) => [filename, content]),
    );
  });
});

/** Milliseconds, the least of some attempts. */
const timeOf = async (work: () => Promise<unknown>, attempts: number): Promise<number> => {
  const times: number[] = [];
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return Math.min(...times);
};

describe("a hostile mail is read or refused, in linear time and bounded memory", () => {
  it.each(Object.entries(hostileMails))("%s", async (_, make) => {
    const [small, large] = [100_000, 4_000_000].map((bytes) => Buffer.from(make(bytes), "latin1"));
    const read = (raw = Buffer.alloc(0)) => readMail(raw, "message/rfc822");
    const fast = await timeOf(() => read(small), 3);
    const slow = await timeOf(async () => {
      const { mail } = await read(large);
      expect((mail.text ?? "").length).toBeLessThanOrEqual(512 * 1024);
      expect((mail.html ?? "").length).toBeLessThanOrEqual(512 * 1024);
    }, 1);
    // Forty times the bytes. A quadratic step would take 1,600 times as long.
    expect(slow).toBeLessThan(Math.max(200 * fast, 2_000));
    expect(process.memoryUsage().rss).toBeLessThan(1_500_000_000);
  });

  test("10,000 headers leave who, whom and what", async () => {
    const { mail } = await readMail(Buffer.from(hostileMails["10,000 headers"]?.(0) ?? ""), "message/rfc822");
    expect(mail).toMatchObject({ from: { email: "m@evil.test" }, subject: "Hostile", text: undefined });
    expect(mail.refused).toBe("It has more than 1000 lines of headers.");
  });
});

describe("any bytes", () => {
  it("are read as a mail or are unreadable", async () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "\r\n",
        "\r\n\r\n",
        "--x",
        "--x--",
        "Content-Type: multipart/mixed; boundary=x",
        "From: ",
        "=?utf-8?q?",
        "base64",
        "\0",
        "<",
        ">",
        "Content-Transfer-Encoding: base64",
        "Message-ID: <a@b>",
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 60 }),
        fc.constantFrom("message/rfc822", "multipart/form-data; boundary=x"),
        async (pieces, type) => {
          const body = Buffer.from(pieces.join(""));
          const outcome = await readMail(body, type).catch((error: { code?: string }) => error.code);
          if (typeof outcome === "string") expect(outcome).toBe("unreadable_webhook");
          else expect(outcome?.mail.subject).toEqual(expect.not.stringMatching(/[\r\n\0]/));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("come out of a form as they went in", () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    const names = fc.stringMatching(/^[a-z]{1,10}$/);
    fc.assert(
      fc.property(fc.dictionary(names, bytes, { maxKeys: 10 }), (fields) => {
        fc.pre(Object.values(fields).every((value) => !Buffer.from(value).includes("--xYzZY")));
        fc.pre(Object.keys(fields).length > 0);
        const form = formOf(fields);
        const read = parseMultipart(form.body, form.type);
        expect(read.map(({ name, content }) => [name, content.toString("hex")])).toEqual(
          Object.entries(fields).map(([name, value]) => [name, Buffer.from(value).toString("hex")]),
        );
      }),
    );
  });
});

describe("a form", () => {
  it("that breaks its format is unreadable", () => {
    const type = "multipart/form-data; boundary=x";
    const broken: [string, string][] = [
      ["", type],
      ["nothing", type],
      ["--x\r\nContent-Disposition: form-data; name=a\r\n\r\nno end", type],
      ["--x\r\nno headers", type],
      [`--x\r\n${"a".repeat(20_000)}\r\n\r\nb\r\n--x--`, type],
      [`${"--x\r\nContent-Disposition: form-data; name=a\r\n\r\nb\r\n".repeat(201)}--x--`, type],
      ["--x--", "multipart/form-data"],
    ];
    for (const [body, contentType] of broken)
      expect(() => parseMultipart(Buffer.from(body), contentType)).toThrow(
        expect.objectContaining({ code: "unreadable_webhook" }),
      );
  });

  it("takes names with quotes and files without a type", () => {
    const form = Buffer.from(
      '--x\r\ncontent-disposition: form-data; name="a\\"b"; filename="c%22.txt"\r\n\r\nd\r\n--x--\r\n',
    );
    const [part] = parseMultipart(form, 'multipart/form-data; boundary="x"');
    expect(part).toMatchObject({ name: 'a"b', filename: 'c".txt', type: "text/plain" });
  });
});

describe("an automatic mail", () => {
  const from = async (...headers: string[]) =>
    isAutomatic(await parseMime(Buffer.from(["From: a@b.test", ...headers, "", "x"].join("\r\n"))), {
      envelope_from: "a@b.test",
    });

  it("is recognized by its headers", async () => {
    for (const header of [
      "Auto-Submitted: auto-replied",
      "auto-submitted: auto-generated; owner-email=x",
      "Precedence: junk",
      "Precedence: auto_reply",
      "X-Auto-Response-Suppress: OOF, DR",
      "X-Autoreply: yes",
      "List-Id: <l.b.test>",
      "Content-Type: multipart/report; report-type=delivery-status; boundary=x",
    ])
      expect([header, await from(header)]).toEqual([header, true]);
    for (const header of ["Auto-Submitted: no", "Precedence: first-class", "X-A: auto-replied"])
      expect([header, await from(header)]).toEqual([header, false]);
  });
});

describe("an attached file", () => {
  const danger = (filename: string, content: Uint8Array | string) =>
    dangerOf({ filename, type: "x", disposition: "attachment", content_id: undefined, content: Buffer.from(content) });

  it("is dangerous by its name, its content or what an archive holds", () => {
    const dangerous: [string, Uint8Array | string][] = [
      ["a.exe", "x"],
      ["a.exe. ", "x"],
      ["a.pdf.JS", "x"],
      ["a.txt", "\x7fELF"],
      ["a.txt", "#!/bin/sh"],
      ["a.txt", Buffer.from("cafebabe", "hex")],
      ["a.zip", zipOf("x/y.scr ")],
      ["a.docx", zipOf("word/vbaProject.bin")],
      ["a.doc", Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.from("_VBA_PROJECT", "utf16le")])],
      ["a.zip", zipOf("a.txt").subarray(0, 40)],
      ["a.zip", zipOf(...Array.from({ length: 2_001 }, (_, index) => `${index}.txt`))],
      ["a.7z", "7z"],
    ];
    expect(dangerous.filter(([name, content]) => danger(name, content) === undefined)).toEqual([]);
    const harmless: [string, Uint8Array | string][] = [
      ["a.pdf", "%PDF-1"],
      ["exe", "x"],
      ["a.exe.txt", "x"],
      ["a.zip", zipOf("a.txt", "b/c.pdf")],
      ["a.docx", zipOf("[Content_Types].xml", "word/document.xml")],
    ];
    expect(harmless.filter(([name, content]) => danger(name, content) !== undefined)).toEqual([]);
  });
});
