import { beforeAll, describe, expect, it } from "vitest";
import { addUser, type HttpReply, http, platformUrl, registerOrganization, type User } from "../../platform.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
  const leads = Array.from({ length: 25 }, (_, index) => ({
    name: `Lead ${String(index).padStart(2, "0")}`,
    status: index % 3 === 0 ? "New" : "Working",
    ...(index % 4 === 0 ? {} : { amount: index % 5 }),
  }));
  await http.post("/v1/object/lead", { token: owner.token, body: leads, expect: 201 });
});

const get = (query: Record<string, string | number | boolean>, options: object = {}): Promise<HttpReply> =>
  http.get("/v1/query", { token: owner.token, query, expect: 200, ...options });

const nextOf = ({ headers }: HttpReply): string | null =>
  /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1] ?? null;

const follow = async (first: HttpReply): Promise<HttpReply[]> => {
  const replies = [first];
  for (let link = nextOf(first); link !== null; link = nextOf(replies.at(-1) as HttpReply)) {
    expect(link.startsWith(`${platformUrl}/v1/query?`)).toBe(true);
    replies.push(await http.get(link.slice(platformUrl.length), { token: owner.token, expect: 200 }));
  }
  return replies;
};

const QUERY = "SELECT name, amount FROM lead ORDER BY amount DESC, name LIMIT 10";

describe("pages of GET /v1/query: 200", () => {
  it("continue by the link, and by the cursor in a body", async () => {
    const whole = await get({ q: QUERY.replace(" LIMIT 10", "") });
    const pages = await follow(await get({ q: QUERY }));
    expect(pages.map(({ body }) => body.records.length)).toEqual([10, 10, 5]);
    expect(pages.flatMap(({ body }) => body.records)).toEqual(whole.body.records);
    expect(pages.at(-1)?.body).not.toHaveProperty("next_cursor");
    const second = await http.post("/v1/query", {
      token: owner.token,
      body: { query: QUERY, cursor: pages[0]?.body.next_cursor },
      expect: 200,
    });
    expect(second.body.records).toEqual(pages[1]?.body.records);
  });

  it("have a link with the cursor alone if the query is too long for a URL", async () => {
    const query = `${QUERY} -- ${"x".repeat(6_000)}`;
    const { headers, body } = await http.post("/v1/query", { token: owner.token, body: { query }, expect: 200 });
    expect(headers.get("link")).toBe(`<${platformUrl}/v1/query?cursor=${body.next_cursor}>; rel="next"`);
  });

  it.each([
    ["SELECT name FROM lead LIMIT 3", 25],
    ["SELECT name FROM lead WHERE status = 'New' LIMIT 0", 9],
    ["SELECT DISTINCT status FROM lead LIMIT 1", 2],
    ["SELECT amount, COUNT(*) FROM lead GROUP BY amount HAVING COUNT(*) > 3 OFFSET 1", 4],
    ["SELECT COUNT(*) FROM lead", 1],
    ["SELECT a.name, b.name FROM lead a JOIN user b ON a.owner = b.id LIMIT 2", 25],
  ])("counts all rows of %s when asked to", async (q, total) => {
    expect((await get({ q, count: true })).body.total).toBe(total);
    expect((await get({ q })).body).not.toHaveProperty("total");
  });

  it("have the same total", async () => {
    const { body } = await get({ q: QUERY, count: true });
    expect((await get({ q: QUERY, count: true, cursor: body.next_cursor })).body.total).toBe(25);
  });

  it("are NDJSON on request", async () => {
    const lines = { headers: { accept: "application/x-ndjson" } };
    const json = await get({ q: QUERY, count: true });
    const { headers, text } = await get({ q: QUERY, count: true }, lines);
    expect(headers.get("content-type")).toBe("application/x-ndjson");
    expect(text.endsWith("\n")).toBe(true);
    expect(
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(json.body.records);
    expect(headers.get("x-total-count")).toBe("25");
    expect(headers.get("link")).toContain('rel="next"');
    expect((await get({ q: "SELECT name FROM lead LIMIT 0" }, lines)).text).toBe("");
    expect((await get({ q: `EXPLAIN ${QUERY}` }, lines)).body.explain.collection).toBe("lead");
  });

  it.each([
    ["*/*", "application/json"],
    ["application/x-ndjson;q=0.5, application/json", "application/json"],
    ["application/json;q=0.5, application/x-ndjson", "application/x-ndjson"],
    ["application/x-ndjson;q=0", "application/json"],
  ])("with Accept: %s is %s", async (accept, type) => {
    const { headers } = await get({ q: QUERY }, { headers: { accept } });
    expect(headers.get("content-type")).toBe(type);
  });
});

describe("GET /v1/query with a time zone: 200", () => {
  const countToday = async (user: User): Promise<number> => {
    const { body } = await http.get("/v1/query", {
      token: user.token,
      query: { q: "EXPLAIN SELECT id FROM lead WHERE created_date = '2026-07-01'" },
      expect: 200,
    });
    return Date.parse(body.explain.pipeline[0].$match.created_date.$gte.$date);
  };

  it("days begin in the user's time zone, else in the organization's, else in UTC", async () => {
    const user = await addUser(owner.organizationId);
    const midnight = Date.UTC(2026, 6, 1);
    const hour = 3_600_000;
    expect(await countToday(user)).toBe(midnight);
    await http.patch(`/v1/object/organization/${owner.organizationId}`, {
      token: owner.token,
      body: { settings: { time_zone: "Asia/Tokyo" } },
      expect: 200,
    });
    expect(await countToday(user)).toBe(midnight - 9 * hour);
    await http.patch(`/v1/object/user/${user.id}`, {
      token: owner.token,
      body: { time_zone: "America/New_York" },
      expect: 200,
    });
    expect(await countToday(user)).toBe(midnight + 4 * hour);
  });

  it("only existing time zones are accepted", async () => {
    const refused = await http.patch(`/v1/object/user/${owner.id}`, {
      token: owner.token,
      body: { time_zone: "Mars/Olympus" },
      expect: 422,
    });
    expect(refused.body.detail).toMatchObject([{ loc: ["body", "time_zone"] }]);
    const settings = { time_zone: "+02:00" };
    const path = `/v1/object/organization/${owner.organizationId}`;
    await http.patch(path, { token: owner.token, body: { settings }, expect: 422 });
  });
});

describe("pages of GET /v1/query: 422", () => {
  it.each(["x", "bnVsbA", ""])("for the cursor %j", async (cursor) => {
    const { body } = await get({ q: QUERY, cursor }, { expect: 422 });
    expect(body.detail[0].loc).toEqual(["query", "cursor"]);
  });

  it("the cursor of another query or another user is refused", async () => {
    const cursor: string = (await get({ q: QUERY })).body.next_cursor;
    const other = await get({ q: QUERY.replace("10", "11"), cursor }, { expect: 422 });
    expect(other.body.detail).toMatchObject([{ loc: ["query", "cursor"], type: "query_cursor" }]);
    const member = await addUser(owner.organizationId);
    await get({ q: QUERY, cursor }, { token: member.token, expect: 422 });
    const posted = { query: "SELECT name FROM lead", cursor };
    const { body } = await http.post("/v1/query", { token: owner.token, body: posted, expect: 422 });
    expect(body.detail[0].loc).toEqual(["body", "cursor"]);
  });
});
