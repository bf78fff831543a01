import { beforeAll, describe, expect, it } from "vitest";
import { databaseClient, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
  const fields = [
    { name: "Mail", type: "string", format: "email", unique: true },
    { name: "Phone", type: "string", format: "phone", unique: true },
  ];
  await http.post("/v1/schema", { token: owner.token, body: { name: "Person", fields }, expect: 201 });
});

const write = (body: object, expected = 201) =>
  http.post("/v1/object/person", { token: owner.token, body: { name: "X", ...body }, expect: expected });

const settings = (value: object | null, expected = 200) =>
  http.patch(`/v1/object/organization/${owner.organizationId}`, {
    token: owner.token,
    body: { settings: value },
    expect: expected,
  });

const count = async (where: string): Promise<number> => {
  const body = { query: `SELECT COUNT(*) AS n FROM person WHERE ${where}` };
  return (await http.post("/v1/query", { token: owner.token, body, expect: 200 })).body.records[0].n;
};

describe("an email", () => {
  it("is stored trimmed and in lower case, by which it is unique", async () => {
    const { body } = await write({ mail: " Ada@Example.TEST " });
    expect(body.mail).toBe("ada@example.test");
    expect((await write({ mail: "ADA@example.test" }, 409)).body.code).toBe("duplicate_value");
    const batch = [
      { name: "A", mail: "Twice@example.test" },
      { name: "B", mail: "twice@example.test" },
    ];
    await http.post("/v1/object/person", { token: owner.token, body: batch, expect: 409 });
  });

  it("is found in SQL however its letters are written, and so is one from before the rule as it was written", async () => {
    await write({ mail: "grace@example.test" });
    const mongo = await databaseClient();
    const people = mongo.db(owner.organizationId).collection<{ _id: string }>("person");
    await people.insertOne({ _id: "old", ...{ id: "old", name: "Old", mail: "Old@Example.test" } });
    await mongo.close();
    expect(await count("mail = 'Grace@Example.TEST'")).toBe(1);
    expect(await count("mail IN ('GRACE@example.test', 'nobody@example.test')")).toBe(1);
    expect(await count("mail = 'Old@Example.test'")).toBe(1);
    const all = await count("mail IS NOT NULL");
    expect(await count("mail != 'GRACE@example.test'")).toBe(all - 1);
    expect(await count("mail NOT IN ('GRACE@example.test', 'Old@Example.test')")).toBe(all - 2);
  });
});

describe("a telephone number", () => {
  it("is stored in E.164 and unique in that form; without a country of the organization it needs its code", async () => {
    expect((await write({ phone: "+49 (0)30 5550-101" })).body.phone).toBe("+49305550101");
    expect((await write({ phone: "0049" }, 422)).body.detail[0]).toEqual({
      loc: ["body", "phone"],
      type: "phone_format",
      input: "0049",
      msg:
        "Expected a telephone number with its country code, such as +4930123456. Numbers without one are accepted when " +
        "settings.country of the organization is set.",
    });
    expect((await write({ phone: "+49 30 5550101" }, 409)).body.code).toBe("duplicate_value");
  });

  it("is read as one of the organization's country, from the next request on", async () => {
    await write({ phone: "030 5550102" }, 422);
    await settings({ country: "DE", time_zone: "Europe/Berlin" });
    expect((await write({ phone: "030 5550102" })).body.phone).toBe("+49305550102");
    expect((await write({ phone: "030 5550102 ext. 7" })).body.phone).toBe("+49305550102;ext=7");
    expect((await write({ phone: "+1 415 555 0100" })).body.phone).toBe("+14155550100");
    const { msg } = (await write({ phone: "112" }, 422)).body.detail[0];
    expect(msg).toBe(
      "Expected a telephone number with its country code, such as +4930123456, or a number of the organization's country (DE).",
    );
    await settings({ country: "US" });
    expect((await write({ phone: "(415) 555-0199" })).body.phone).toBe("+14155550199");
    await settings({});
    await write({ phone: "030 5550103" }, 422);
  });

  it("is changed and created again with the value that was read", async () => {
    const { body } = await write({ phone: "+49 30 5550104 x12" });
    const patch = { token: owner.token, body: { phone: body.phone }, expect: 200 };
    expect((await http.patch(`/v1/object/person/${body.id}`, patch)).body.phone).toBe("+49305550104;ext=12");
    expect(await count("phone = '+49305550104;ext=12'")).toBe(1);
  });

  it("has a default in E.164, and records get it", async () => {
    const add = (value: string, expected: number) =>
      http.post("/v1/schema/field", {
        token: owner.token,
        body: { object_id: "person", name: "Fax", type: "string", format: "phone", default: value },
        expect: expected,
      });
    await add("+49 30 1", 422);
    await add("+49305550000", 200);
    expect((await write({})).body.fax).toBe("+49305550000");
  });
});

describe("settings.country", () => {
  it.each(["de", "XX", "EU", "DEU", "", 49])("422 for %j", async (country) => {
    const { body } = await settings({ country }, 422);
    expect(body.detail[0].loc).toEqual(["body", "settings", "country"]);
  });

  it("keeps what the other settings decide", async () => {
    await settings({ country: "FR", audit_retention_days: 90 });
    const mongo = await databaseClient();
    const state = () =>
      mongo
        .db(owner.organizationId)
        .collection<{ _id: string }>("organization_state")
        .findOne({ _id: owner.organizationId });
    expect(await state()).toMatchObject({ country: "FR", audit_retention_days: 90, second_factor_required: false });
    await settings({ audit_retention_days: 90 });
    expect(await state()).toMatchObject({ audit_retention_days: 90 });
    expect(await state()).not.toHaveProperty("country");
    await settings(null);
    expect(await state()).not.toHaveProperty("audit_retention_days");
    await mongo.close();
  });
});
