import { beforeAll, describe, expect, it } from "vitest";
import { http, registerOrganization, type User } from "../../platform.ts";

let owner: User;
beforeAll(async () => {
  owner = await registerOrganization();
});

const SECRET = "a-secret-that-nobody-may-see";

const save = (kind: string, provider: string, value: unknown) =>
  http.post("/v1/object/auth_credential", { token: owner.token, body: { name: provider, kind, provider, value } });

const sid = `AC${"0".repeat(32)}`;

describe("the credential of a vendor", () => {
  it.each([
    ["emailvendor", "sendgrid", { api_key: SECRET }],
    [
      "emailvendor",
      "smtp",
      { host: "mail.example.com", port: 587, secure: "starttls", username: "u", password: SECRET },
    ],
    ["smsvendor", "twilio", { account_sid: sid, auth_token: SECRET, from: "+4930123456" }],
    ["pushvendor", "webpush", { public_key: "A".repeat(87), private_key: "B".repeat(43), subject: "mailto:a@b.test" }],
    ["integration", "anything", SECRET],
  ])("of the kind %s for %s is saved", async (kind, provider, value) => {
    expect((await save(kind, provider, value)).status).toBe(201);
  });

  it.each([
    ["a provider of another kind", "smsvendor", "sendgrid", { api_key: SECRET }, "provider"],
    ["the platform's own provider", "emailvendor", "ses", {}, "provider"],
    ["a name of an inherited property", "emailvendor", "constructor", {}, "provider"],
    ["no key", "emailvendor", "sendgrid", {}, "value"],
    ["a text instead of the value", "emailvendor", "sendgrid", SECRET, "value"],
    ["an unknown key", "emailvendor", "sendgrid", { api_key: SECRET, other: 1 }, "value"],
    ["a line break in the key", "emailvendor", "sendgrid", { api_key: `${SECRET}\r\nX: 1` }, "value"],
    [
      "a password that would be sent without TLS",
      "emailvendor",
      "smtp",
      { host: "mail.example.com", port: 587, secure: "none", username: "u", password: SECRET },
      "value",
    ],
    ["an address with a path as host", "emailvendor", "smtp", { host: "a/b", port: 1, secure: "tls" }, "value"],
    [
      "an account that is none",
      "smsvendor",
      "twilio",
      { account_sid: "x", auth_token: SECRET, from: "+49301234" },
      "value",
    ],
  ])("is refused with %s, without its value in the answer", async (_, kind, provider, value, field) => {
    const { status, body, text } = await save(kind, provider, value);
    expect(status).toBe(422);
    expect(body.detail[0].loc.slice(0, 2)).toEqual(["body", field]);
    expect(text).not.toContain(SECRET);
  });

  it("gets another provider only together with its value", async () => {
    const { id } = (await save("emailvendor", "sendgrid", { api_key: SECRET })).body;
    const patch = (body: object) => http.patch(`/v1/object/auth_credential/${id}`, { token: owner.token, body });
    const { status, body } = await patch({ provider: "smtp" });
    expect([status, body.detail[0].type]).toEqual([422, "value_required"]);
    expect((await patch({ active: false })).status).toBe(200);
  });
});
