import { beforeAll, describe, expect, it } from "vitest";
import { dnsRecords, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
});

const validate = async (email: string, check_deliverability = false) =>
  (
    await http.post("/v1/email-services/validate-email", {
      token: owner.token,
      body: { email, check_deliverability },
      expect: 200,
    })
  ).body;

describe("POST /v1/email-services/validate-email", () => {
  it.each([
    ["ada@example.com", "ada@example.com"],
    ["  Ada@Example.COM ", "Ada@example.com"],
    ["ada+tag@example.com", "ada+tag@example.com"],
    ['"ada"@example.com', "ada@example.com"],
    ['"ada lovelace"@example.com', '"ada lovelace"@example.com'],
    ['"a\\"b"@example.com', '"a\\"b"@example.com'],
    ["ada@bücher.example", "ada@xn--bcher-kva.example"],
    ["jörg@example.com", "jörg@example.com"],
    ["!#$%&'*+/=?^_`{|}~-@example.com", "!#$%&'*+/=?^_`{|}~-@example.com"],
  ])("accepts %s", async (email, normalized_email) => {
    expect(await validate(email)).toMatchObject({
      email,
      is_valid: true,
      normalized_email,
      checks: { syntax: true, domain: true },
    });
  });

  it.each([
    ["ada", "There is no @."],
    ["@example.com", "There is nothing before the @."],
    ["a..b@example.com", "A dot is misplaced before the @."],
    [".a@example.com", "A dot is misplaced before the @."],
    ["a b@example.com", "The part before the @ has characters that are not allowed there."],
    ["ada@example", "There is no domain after the @."],
    ["ada@[127.0.0.1]", "There is no domain after the @."],
    ["ada@1.2.3.4", "There is no domain after the @."],
    ["ada@-x.example", "There is no domain after the @."],
    ["ada@ex%61mple.com", "There is no domain after the @."],
    ["ada@example.com\r\nBcc: eve@example.com", "There are control characters or invisible ones."],
    ["a\u200bda@example.com", "There are control characters or invisible ones."],
    [`${"a".repeat(65)}@example.com`, "The part before the @ has more than 64 bytes."],
    [`a@${"b".repeat(64)}.com`, "There is no domain after the @."],
  ])("refuses %j", async (email, reason) => {
    expect(await validate(email)).toMatchObject({
      is_valid: false,
      normalized_email: null,
      reason,
      checks: { syntax: false, domain: false },
    });
  });

  it("tells letters of several alphabets in one name, as in a domain that looks like another", async () => {
    expect(await validate("ada@p\u0430ypal.com")).toMatchObject({
      is_valid: false,
      reason: "The domain has letters of several alphabets in one name.",
      checks: { syntax: true, domain: false },
    });
  });

  it.each([
    ["ada@gmial.com", "ada@gmail.com"],
    ["ada@hotmal.com", "ada@hotmail.com"],
    ["ada@acme.con", "ada@acme.com"],
    ["ada@gmail.com", undefined],
    ["ada@mail.de", undefined],
  ])("suggests for %s: %s", async (email, suggestion) => {
    expect((await validate(email)).suggestion).toBe(suggestion);
  });

  it("tells addresses of functions and throw-away addresses", async () => {
    expect((await validate("postmaster@example.com")).checks).toMatchObject({ role: true, disposable: false });
    expect((await validate("Info+x@example.com")).checks.role).toBe(true);
    expect((await validate("ada@x.mailinator.com")).checks).toMatchObject({ role: false, disposable: true });
    expect((await validate("ada@notmailinator.com")).checks.disposable).toBe(false);
  });

  it("asks the DNS on request: mail exchanges, else a host, else none; without an answer it is null", async () => {
    await dnsRecords("mx.valid.example", { MX: [[10, "mail.valid.example"]] });
    await dnsRecords("host.valid.example", { A: ["192.0.2.1"] });
    await dnsRecords("null.valid.example", { MX: [[0, ""]], A: ["192.0.2.1"] });
    await dnsRecords("broken.valid.example", { fails: "SERVFAIL" });
    await dnsRecords("silent.valid.example", { fails: "silence" });
    const mx = async (domain: string) => {
      const { is_valid, checks } = await validate(`ada@${domain}`, true);
      return [is_valid, checks.mx];
    };
    expect(await mx("mx.valid.example")).toEqual([true, true]);
    expect(await mx("host.valid.example")).toEqual([true, true]);
    expect(await mx("null.valid.example")).toEqual([false, false]);
    expect(await mx("nowhere.valid.example")).toEqual([false, false]);
    expect(await mx("broken.valid.example")).toEqual([true, null]);
    const start = Date.now();
    expect(await mx("silent.valid.example")).toEqual([true, null]);
    expect(Date.now() - start).toBeLessThan(10_000);
    expect((await validate("ada@mx.valid.example")).checks).not.toHaveProperty("mx");
  });
});
