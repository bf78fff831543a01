import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
  const companies = ["Zeta", "Alpha"].map((name) => ({ name }));
  const [zeta, alpha] = (await http.post("/v1/object/company", { token: owner.token, body: companies, expect: 201 }))
    .body;
  const body = [
    { name: "C", amount: 2, company: zeta.id },
    { name: "A", amount: 1, company: alpha.id },
    { name: "B", amount: 2 },
    { name: "a", amount: -1, company: alpha.id },
    { name: "Ä" },
  ];
  await http.post("/v1/object/lead", { token: owner.token, body, expect: 201 });
});

const list = (query: Record<string, string | number> = {}, token = owner.token) =>
  http.get("/v1/object/lead", { token, query });

const namesOf = async (query: Record<string, string | number>): Promise<string> =>
  (await list(query)).body.map((lead: { name: string }) => lead.name).join("");

describe("GET /v1/object/{object}: 200", () => {
  it("lists in the order of creation, with the total", async () => {
    const reply = await list();
    expect(reply.status).toBe(200);
    expect(reply.body.map((lead: { name: string }) => lead.name).join("")).toBe("CABaÄ");
    expect(reply.headers.get("x-total-count")).toBe("5");
    expect(reply.headers.get("link")).toBeNull();
  });

  it.each([
    ["name", "ABCaÄ"],
    ["-name", "ÄaCBA"],
    ["name desc", "ÄaCBA"],
    ["-amount,name", "BCAaÄ"],
    ["amount desc, name desc", "CBAaÄ"],
    ["amount,-name", "ÄaACB"],
    ["company,name", "BÄAaC"],
    ["-created_date,-id", "ÄaBAC"],
    ["-id", "ÄaBAC"],
  ])("sorts by %s", async (order_by, names) => {
    expect(await namesOf({ order_by })).toBe(names);
  });

  it("has links to all pages, with each record once", async () => {
    const seen: string[] = [];
    let next: string | undefined = "/v1/object/lead?limit=2&order_by=-name";
    let pages = 0;
    while (next !== undefined) {
      const reply = await http.get(next, { token: owner.token, expect: 200 });
      seen.push(...reply.body.map((lead: { name: string }) => lead.name));
      const link: string | undefined = /<([^>]+)>; rel="next"/.exec(reply.headers.get("link") ?? "")?.[1];
      next = link && new URL(link).pathname + new URL(link).search;
      pages += 1;
    }
    expect([pages, seen.join("")]).toEqual([3, "ÄaCBA"]);
    const middle = await list({ limit: 2, offset: 3 });
    expect(middle.headers.get("link")).toMatch(/offset=1>; rel="prev"/);
  });

  it("is truncated at 5 MB, and continues by the link", async () => {
    const big = await registerOrganization();
    const body = Array.from({ length: 4 }, (_, index) => ({ name: `N${index}`, body: "é".repeat(240_000) }));
    for (let round = 0; round < 4; round += 1) {
      for (const note of body) await http.post("/v1/object/note", { token: big.token, body: note, expect: 201 });
    }
    const reply = await http.get("/v1/object/note", { token: big.token, expect: 200 });
    expect(Buffer.byteLength(reply.text)).toBeLessThan(5_100_000);
    expect(reply.headers.get("x-truncated")).toBe("true");
    expect(reply.body).toHaveLength(10);
    expect(reply.headers.get("link")).toMatch(/offset=10>; rel="next"/);
    const rest = await http.get("/v1/object/note?offset=10", { token: big.token, expect: 200 });
    expect(rest.body).toHaveLength(6);
    expect(rest.headers.get("x-truncated")).toBeNull();
  });
});

describe("GET /v1/object/{object}: 403", () => {
  it("without the permission to read", async () => {
    const nobody = await addUser(owner.organizationId, { permissions: [] });
    expect((await list({}, nobody.token)).status).toBe(403);
  });
});

describe("GET /v1/object/{object}: 404", () => {
  it("for an unknown object", async () => {
    await http.get("/v1/object/nothing", { token: owner.token, expect: 404 });
  });
});

describe("GET /v1/object/{object}: 422", () => {
  it.each([
    [{ limit: 0 }, "limit"],
    [{ limit: 1001 }, "limit"],
    [{ limit: "ten" }, "limit"],
    [{ offset: -1 }, "offset"],
    [{ order_by: "nmae" }, "order_by"],
    [{ order_by: "name sideways" }, "order_by"],
    [{ order_by: "shared_with" }, "order_by"],
    [{ order_by: "name,name,name,name,name,name" }, "order_by"],
    [{ order_by: "$where" }, "order_by"],
  ])("for %j", async (query, where) => {
    const { status, body } = await list(query);
    expect([status, body.detail?.[0]?.loc]).toEqual([422, ["query", where]]);
  });

  it("for sorting by an unreadable field, as by a missing one", async () => {
    const permission = {
      name: "No amounts",
      object_permissions: { lead: { read: true } },
      object_field_permissions: { lead: { amount: { read: false } } },
    };
    const { id } = (await http.post("/v1/object/permission", { token: owner.token, body: permission, expect: 201 }))
      .body;
    const member = await addUser(owner.organizationId, { permissions: [id] });
    const { status, body } = await list({ order_by: "amount" }, member.token);
    expect([status, body.detail[0].type]).toEqual([422, "unknown_field"]);
  });
});
