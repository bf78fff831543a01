import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { databaseClient, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;
let other: User;

beforeAll(async () => {
  [owner, other] = await Promise.all([registerOrganization(), registerOrganization()]);
});

const send = async (body: object) =>
  (
    await http.post("/v1/email-services/emailvendor/send", {
      token: owner.token,
      body: { subject: "News", ...body },
      expect: 200,
    })
  ).body;

/** The token of the link in a message to a list. */
const tokenOf = async (id: string): Promise<string> => {
  const mongo = await databaseClient();
  const message = await mongo
    .db(owner.organizationId)
    .collection<{ _id: string; _email: { unsubscribe: string } }>("email_message")
    .findOne({ _id: id });
  await mongo.close();
  return `${owner.organizationId}.${id}.${message?._email.unsubscribe}`;
};

const path = (token: string): string => `/v1/public/unsubscribe/${token}`;

const suppressions = async (user = owner) =>
  (await http.get("/v1/object/email_suppression", { token: user.token, expect: 200 })).body;

const ONE_CLICK = { "List-Unsubscribe": "One-Click" };

describe("the link to unsubscribe", () => {
  it("shows a page that changes nothing, without cookies, and names no address in full", async () => {
    const email = "link-scanner@example.com";
    const { id } = await send({ to_emails: [email], category: "list" });
    const token = await tokenOf(id);
    const page = await http.get(path(token), { expect: 200 });
    expect(page.text).toContain("l…@example.com");
    expect(page.text).not.toContain(email);
    expect(page.headers.get("set-cookie")).toBeNull();
    expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none';/);
    expect(page.headers.get("content-security-policy")).not.toContain("script-src");
    expect(await suppressions()).toEqual([]);
    expect(token).not.toContain("scanner");
  });

  it("unsubscribes with one click from lists only, until an administrator removes the suppression", async () => {
    const email = "Reader@example.com";
    const { id } = await send({ to_emails: [email], category: "list" });
    const token = await tokenOf(id);
    const done = await http.post(path(token), { form: ONE_CLICK, expect: 200 });
    expect(done.headers.get("set-cookie")).toBeNull();
    await http.post(path(token), { form: ONE_CLICK, expect: 200 });
    const found = (await suppressions()).filter((one: { email: string }) => one.email === "reader@example.com");
    expect(found).toMatchObject([{ scope: "list", reason: "unsubscribe", message: { id } }]);
    expect(await send({ to_emails: [email, "b@example.com"], category: "list" })).toMatchObject({
      status: "captured",
      recipients: [
        { email: "reader@example.com", status: "suppressed", reason: "The recipient has unsubscribed." },
        { email: "b@example.com", status: "captured" },
      ],
    });
    expect((await send({ to_emails: [email], category: "list" })).status).toBe("suppressed");
    expect((await send({ to_emails: [email] })).status).toBe("captured");
    await http.delete(`/v1/object/email_suppression/${found[0].id}`, { token: owner.token, expect: 200 });
    expect((await send({ to_emails: [email], category: "list" })).status).toBe("captured");
    const { body } = await http.get("/v1/query", {
      token: owner.token,
      query: { q: `SELECT action FROM audit_entry WHERE record_id = '${found[0].id}'` },
      expect: 200,
    });
    expect(body.records).toEqual([{ action: "deleted" }]);
  });

  it("accepts the form of mail programs as multipart too, and refuses any other body", async () => {
    const { id } = await send({ to_emails: ["multi@example.com"], category: "list" });
    const token = await tokenOf(id);
    const part = (value: string): string =>
      `--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\n${value}\r\n--b--\r\n`;
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    await http.post(path(token), { raw: part("No"), headers, expect: 422 });
    await http.post(path(token), { form: { "List-Unsubscribe": "x" }, expect: 422 });
    await http.post(path(token), { form: {}, expect: 422 });
    await http.post(path(token), { body: ONE_CLICK, expect: 415 });
    await http.post(path(token), { raw: "x".repeat(5_000), headers, expect: 413 });
    expect((await send({ to_emails: ["multi@example.com"], category: "list" })).status).toBe("captured");
    await http.post(path(token), { raw: part("One-Click"), headers, expect: 200 });
    expect((await send({ to_emails: ["multi@example.com"], category: "list" })).status).toBe("suppressed");
  });

  it("cannot be guessed or forged, and answers the same for every wrong one", async () => {
    const { id } = await send({ to_emails: ["safe@example.com"], category: "list" });
    const { id: plain } = await send({ to_emails: ["safe@example.com"] });
    const [organization, message, secret = ""] = (await tokenOf(id)).split(".");
    const guess = randomBytes(20).toString("base64url");
    const wrong = [
      `${organization}.${message}.${guess}`,
      `${other.organizationId}.${message}.${secret}`,
      `${organization}.${plain}.${secret}`,
      `${organization}.${plain}.${"A".repeat(27)}`,
      `org_0000000000000000.${message}.${secret}`,
      `base.${message}.${secret}`,
      "x",
      `${organization}.${message}.${secret.slice(0, -1)}`,
    ];
    const answers = new Set<string>();
    for (const token of wrong) {
      for (const reply of [await http.get(path(token)), await http.post(path(token), { form: ONE_CLICK })]) {
        expect(reply.status, token).toBe(404);
        answers.add(reply.text.replaceAll(/<code>[^<]*<\/code>/g, ""));
      }
    }
    expect(answers.size).toBe(1);
    expect((await send({ to_emails: ["safe@example.com"], category: "list" })).status).toBe("captured");
  });

  it("is limited for one address and link", async () => {
    const token = `org_0000000000000000.x.${randomBytes(20).toString("base64url")}`;
    const statuses = await Promise.all(Array.from({ length: 62 }, async () => (await http.get(path(token))).status));
    expect(statuses).toContain(429);
    expect(new Set(statuses)).toEqual(new Set([404, 429]));
  });
});

describe("an email_suppression record", () => {
  it("is neither created nor changed by callers", async () => {
    const body = { email: "x@example.com", scope: "all", reason: "bounce", key: "all x@example.com" };
    await http.post("/v1/object/email_suppression", { token: owner.token, body, expect: 403 });
  });
});
