import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { dnsRecords, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;
let other: User;

beforeAll(async () => {
  [owner, other] = await Promise.all([registerOrganization(), registerOrganization()]);
});

const fresh = (): string => `d${randomBytes(5).toString("hex")}.example`;

const add = async (domain: string, user = owner, expected = 201) =>
  (await http.post("/v1/email-services/domains", { token: user.token, body: { domain }, expect: expected })).body;

const verify = (domain: string, user = owner) =>
  http.post(`/v1/email-services/domains/${domain}/verify`, { token: user.token });

const list = async (user = owner) =>
  (await http.get("/v1/email-services/domains", { token: user.token, expect: 200 })).body.domains;

describe("a domain of senders", () => {
  it("is pending until its record is in the DNS, and again when the record is gone", async () => {
    const domain = fresh();
    const added = await add(domain);
    expect(added).toEqual({
      domain,
      status: "pending",
      record: { type: "TXT", name: `_tenantry.${domain}`, value: expect.stringMatching(/^tenantry-verification=dv_/) },
      created_date: expect.any(String),
    });
    expect((await verify(domain)).body).toMatchObject({
      status: "pending",
      problem: `There is no TXT record _tenantry.${domain}.`,
    });
    await dnsRecords(`_tenantry.${domain}`, { TXT: ["v=spf1 -all", added.record.value] });
    const verified = (await verify(domain)).body;
    expect(verified).toMatchObject({ status: "verified", verified_date: expect.any(String) });
    expect(verified).not.toHaveProperty("problem");
    expect(await list()).toContainEqual(verified);
    await dnsRecords(`_tenantry.${domain}`, { TXT: ["another"] });
    expect((await verify(domain)).body).toMatchObject({ status: "pending", problem: expect.stringContaining("value") });
    const { body } = await http.get("/v1/query", {
      token: owner.token,
      query: { q: `SELECT action FROM audit_entry WHERE name LIKE '%${domain}' ORDER BY at` },
      expect: 200,
    });
    const actions = body.records.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(["domain_added", "domain_verified", "domain_lost"]);
  });

  it("stays as it is while the DNS does not answer", async () => {
    const domain = fresh();
    const { record } = await add(domain);
    await dnsRecords(record.name, { TXT: [record.value] });
    await verify(domain);
    await dnsRecords(record.name, { fails: "SERVFAIL" });
    expect(await verify(domain)).toMatchObject({ status: 503, body: { code: "dependency_unavailable" } });
    expect(await list()).toContainEqual(expect.objectContaining({ domain, status: "verified" }));
  });

  it("is added once, in whatever form it is written", async () => {
    const domain = fresh();
    const { record } = await add(domain);
    expect((await add(`${domain.toUpperCase()}.`, owner, 200)).record).toEqual(record);
    expect((await add("b\u00fccher.example")).domain).toBe("xn--bcher-kva.example");
  });

  it("is held by one organization: another one gets it when the record of the first is gone", async () => {
    const domain = fresh();
    const { record } = await add(domain);
    const { record: theirs } = await add(domain, other);
    expect(theirs.value).not.toBe(record.value);
    await dnsRecords(record.name, { TXT: [record.value] });
    expect((await verify(domain)).body.status).toBe("verified");
    // Somebody else's token proves nothing.
    expect((await verify(domain, other)).body.status).toBe("pending");
    await dnsRecords(record.name, { TXT: [record.value, theirs.value] });
    expect(await verify(domain, other)).toMatchObject({ status: 409, body: { code: "domain_taken" } });
    await dnsRecords(record.name, { TXT: [theirs.value] });
    expect((await verify(domain, other)).body.status).toBe("verified");
    expect(await list()).toContainEqual(expect.objectContaining({ domain, status: "pending" }));
  });

  it("is held by one of two organizations that prove it at the same time", async () => {
    const domain = fresh();
    const [mine, theirs] = [await add(domain), await add(domain, other)];
    await dnsRecords(mine.record.name, { TXT: [mine.record.value, theirs.record.value] });
    const statuses = await Promise.all([verify(domain), verify(domain, other)]);
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it("is removed with its hold, by its own organization only", async () => {
    const domain = fresh();
    await add(domain);
    const path = `/v1/email-services/domains/${domain}`;
    await http.delete(path, { token: other.token, expect: 404 });
    expect((await verify(domain, other)).status).toBe(404);
    await http.delete(path, { token: owner.token, expect: 200 });
    await http.delete(path, { token: owner.token, expect: 404 });
  });

  it.each([
    ["com", "This is not the name of a domain."],
    ["co.uk", "Names can be registered below this one by anybody."],
    ["github.io", "Names can be registered below this one by anybody."],
    ["tenantry.invalid", "This name is reserved: it does not exist in the DNS."],
    ["mail.localhost", "This name is reserved: it does not exist in the DNS."],
    ["p\u0430ypal.com", "A part of this name has letters of several alphabets."],
    ["127.0.0.1", "This is not the name of a domain."],
    ["a@b.example", "This is not the name of a domain."],
    ["exa mple.com", "This is not the name of a domain."],
    ["example.com/x", "This is not the name of a domain."],
  ])("is refused: %s", async (domain, msg) => {
    const { detail } = await add(domain, owner, 422);
    expect(detail).toMatchObject([{ loc: ["body", "domain"], msg }]);
  });
});
