import { type AddressInfo, createServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { registerOrganization, type User } from "../../platform.ts";
import { messagesAreHandled } from "../../setup/outbox.ts";
import { type Smtp, startSmtp } from "../../vendors/smtp.ts";
import { connect, messageOf, passTime, patience, send, settled, statusesOf } from "./messages.ts";

let server: Smtp;
afterEach(() => server.stop());

type Secure = "tls" | "starttls" | "none";

/** An organization that sends by the server. */
const organization = async (secure: Secure = "none", value: object = {}): Promise<User> => {
  const owner = await registerOrganization();
  const { host, port, ca } = server;
  const withTls = secure === "none" ? {} : { ca };
  await connect(owner, "emailvendor", "smtp", { host, port, secure, ...withTls, ...value });
  return owner;
};

describe("an email by SMTP", () => {
  it.each<[Secure, object]>([
    ["tls", { username: "mailer", password: "smtp-password-of-nobody" }],
    ["starttls", { username: "mailer", password: "smtp-password-of-nobody" }],
    ["none", {}],
  ])("is sent over a connection of the mode %s", async (secure, account) => {
    server = await startSmtp({ secure, ...("username" in account && { username: "mailer" }) });
    const owner = await organization(secure, account);
    const { id } = await send(owner, {
      to_emails: ["ada@example.com"],
      cc: ["bob@example.com"],
      bcc: ["dan@example.com"],
      subject: "Grüße",
      html_content: "<p>Hi</p>",
    });
    const message = await settled(owner, id);
    expect(message).toMatchObject({ status: "sent", vendor: "smtp", vendor_message_id: "smtp-1" });
    const [taken] = server.taken;
    expect(taken).toMatchObject({
      from: message.from_email,
      to: ["ada@example.com", "bob@example.com", "dan@example.com"],
      secure: secure !== "none",
    });
    expect(taken?.raw).toContain("Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=");
    // A long header is folded.
    expect(taken?.raw).toMatch(new RegExp(`^Message-ID:\\s+<${message.message_id}>`, "m"));
    expect(taken?.raw).not.toContain("dan@example.com");
  });

  it("is not sent without TLS if somebody has taken STARTTLS away, and its password neither", async () => {
    server = await startSmtp({ secure: "none", username: "mailer" });
    const owner = await organization("starttls", { username: "mailer", password: server.password });
    const { id } = await send(owner);
    await expect.poll(async () => statusesOf(await messageOf(owner, id)), patience).toHaveLength(3);
    expect(statusesOf(await messageOf(owner, id))).toEqual(["queued", "sending", "queued"]);
    expect(server.commands).toEqual([]);
  });

  it("is not sent to a server whose certificate nobody vouches for", async () => {
    server = await startSmtp({ secure: "tls" });
    const owner = await organization("tls", { ca: (await import("../../setup/certificate.ts")).selfSigned("x").cert });
    const { id } = await send(owner);
    await expect
      .poll(async () => statusesOf(await messageOf(owner, id)), patience)
      .toEqual(["queued", "sending", "queued"]);
    expect(server.taken).toEqual([]);
  });

  it.each([
    ["a line", "x"],
    ["an answer", "220-x\r\n"],
  ])("waits if the server sends %s without an end, of which little is read", async (_, text) => {
    server = await startSmtp();
    let written = 0;
    const flood = createServer((socket) => {
      socket.on("error", () => undefined);
      const more = (): void => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, text))) written += 65_536;
      };
      socket.on("drain", more);
      more();
    });
    await new Promise<void>((resolve) => flood.listen(0, "127.0.0.1", resolve));
    const { port } = flood.address() as AddressInfo;
    const owner = await organization("none", { port });
    const { id } = await send(owner);
    await expect.poll(async () => statusesOf(await messageOf(owner, id)), patience).toHaveLength(3);
    expect(statusesOf(await messageOf(owner, id))).toEqual(["queued", "sending", "queued"]);
    expect(written).toBeLessThan(256 * 1024 * 1024);
    flood.close();
  });

  it("waits if the password is wrong, and says so without it", async () => {
    server = await startSmtp({ secure: "tls", username: "mailer" });
    const owner = await organization("tls", { username: "mailer", password: "a-wrong-password" });
    const { id } = await send(owner);
    await expect.poll(async () => statusesOf(await messageOf(owner, id)), patience).toHaveLength(3);
    const { events } = await messageOf(owner, id);
    expect(events.at(-1).detail).toContain("535");
    expect(JSON.stringify(events)).not.toContain("a-wrong-password");
  });

  it.each([
    ["refuses the sender for good", { mail: 550 }, "failed"],
    ["refuses all recipients for good", { rcpt: 550 }, "failed"],
    ["refuses the message for good", { data: 554 }, "failed"],
    ["refuses the sender for now", { mail: 451 }, "queued"],
    ["refuses all recipients for now", { rcpt: 450 }, "queued"],
    ["refuses the message for now", { data: 452 }, "queued"],
    ["ends the connection at once", { cut: "connect" as const }, "queued"],
    ["ends the connection at the sender", { cut: "mail" as const }, "queued"],
    ["ends the connection at a recipient", { cut: "rcpt" as const }, "queued"],
    ["ends the connection after it has taken the message", { cut: "accepted" as const }, "unknown"],
  ])("to a server that %s", async (_, behaviour, expected) => {
    server = await startSmtp();
    server.behave(behaviour);
    const owner = await organization();
    const { id } = await send(owner);
    await expect
      .poll(async () => statusesOf(await messageOf(owner, id)), patience)
      .toEqual(["queued", "sending", expected]);
    server.behave({});
    await passTime(owner.organizationId);
    const message = await settled(owner, id);
    await messagesAreHandled(owner);
    expect(message.status).toBe(expected === "queued" ? "sent" : expected);
    expect(server.taken).toHaveLength(expected === "failed" ? 0 : 1);
  });

  it("of which some recipients are refused is sent to the others, and tells which ones", async () => {
    server = await startSmtp();
    server.behave({ rcpt: { "nobody@example.com": 550 } });
    const owner = await organization();
    const { id } = await send(owner, { to_emails: ["ada@example.com", "nobody@example.com"] });
    const message = await settled(owner, id);
    expect(message.status).toBe("sent");
    expect(message.events.at(-1).detail).toContain("nobody@example.com: 550");
    expect(server.taken[0]?.to).toEqual(["ada@example.com"]);
  });

  it("cannot have headers or recipients injected by its texts", async () => {
    server = await startSmtp();
    const owner = await organization();
    const text = "Hi\r\n.\r\nMAIL FROM:<evil@example.com>\r\nRCPT TO:<victim@example.com>\r\nDATA\r\n";
    const { id } = await send(owner, {
      plain_text_content: text,
      subject: "=?utf-8?q?a=0D=0ABcc:_victim=40example.com?=",
    });
    await settled(owner, id);
    expect(server.taken).toHaveLength(1);
    expect(server.taken[0]?.to).toEqual(["ada@example.com"]);
    const [head = ""] = server.taken[0]?.raw.split("\r\n\r\n") ?? [];
    expect(head).not.toMatch(/^Bcc:/im);
  });
});

it.each([
  ["169.254.169.254", 587],
  ["localhost", 25],
])("no connection is made to %s at port %d", async (host, port) => {
  server = await startSmtp();
  const owner = await registerOrganization();
  await connect(owner, "emailvendor", "smtp", { host, port, secure: "starttls" });
  const { id } = await send(owner);
  const message = await settled(owner, id);
  expect(message.status).toBe("failed");
  expect(message.error).toMatch(/is not a public address|not allowed/);
});
