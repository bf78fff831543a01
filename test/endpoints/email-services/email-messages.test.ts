import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;
let other: User;
let member: User;

const SEND = "/v1/email-services/emailvendor/send";

const send = async (subject: string, user = owner) =>
  (await http.post(SEND, { token: user.token, body: { to_emails: ["ada@example.com"], subject }, expect: 200 })).body
    .id as string;

beforeAll(async () => {
  [owner, other] = await Promise.all([registerOrganization(), registerOrganization()]);
  member = await addUser(owner.organizationId);
  for (let index = 0; index < 5; index += 1) await send(`Mail ${index}`);
  await send("Theirs", other);
});

const search = (body: object | undefined, user = owner) =>
  http.post("/v1/email-services/emailvendor/messages/search", {
    token: user.token,
    ...(body !== undefined && { body }),
  });

const subjects = ({ body }: { body: { messages: { subject: string }[] } }) =>
  body.messages.map(({ subject }) => subject);

describe("POST /v1/email-services/emailvendor/messages/search", () => {
  it("finds all emails of the organization, newest first, also without a body", async () => {
    const all = await search(undefined);
    expect(subjects(all)).toEqual(["Mail 4", "Mail 3", "Mail 2", "Mail 1", "Mail 0"]);
    expect(all.body.messages[0]).toEqual({
      id: expect.any(String),
      direction: "outbound",
      from_email: owner.email,
      to_email: "ada@example.com",
      subject: "Mail 4",
      status: "captured",
      created_date: expect.any(String),
      last_event_time: expect.any(String),
      opens: 0,
      clicks: 0,
    });
    expect(subjects(await search({}, other))).toEqual(["Theirs"]);
    // Members may not read emails unless a permission says so.
    expect((await search({}, member)).status).toBe(403);
  });

  it("takes a condition of the query language, and goes on page by page", async () => {
    expect(subjects(await search({ query: "subject LIKE '%3' OR subject = 'Mail 1'" }))).toEqual(["Mail 3", "Mail 1"]);
    const query = "status = 'captured' AND to_email = 'ada@example.com'";
    const first = await search({ query, limit: 2 });
    const second = await search({ query, limit: 2, cursor: first.body.next_cursor });
    const third = await search({ query, limit: 2, cursor: second.body.next_cursor });
    expect([first, second, third].flatMap(subjects)).toEqual(["Mail 4", "Mail 3", "Mail 2", "Mail 1", "Mail 0"]);
    expect(third.body).not.toHaveProperty("next_cursor");
    expect((await search({ query: "subject = 'x'", cursor: first.body.next_cursor })).status).toBe(422);
    expect((await search({ query, cursor: first.body.next_cursor }, other)).status).toBe(422);
  });

  it.each([
    ["subject = 'a' LIMIT 1", "Line 1, column 15"],
    ["subject = 'a') OR (1 = 1", "Line 1, column 14"],
    ["subject = 'a' GROUP BY status", "Line 1, column 15"],
    ["subject = 'a'; DELETE FROM lead", "Line 1, column 14"],
    ["id IN (SELECT id FROM user)", "Line 1, column 8"],
    ["nothing = 1", "Line 1, column 1"],
    ["_email = 1", "Line 1, column 1"],
    ["_delivery.attempts > 0", "Line 1, column 1"],
  ])("refuses %s and tells where", async (query, position) => {
    const { status, body } = await search({ query });
    expect(status).toBe(422);
    expect(body.detail[0]).toMatchObject({ loc: ["body", "query"], msg: expect.stringContaining(position) });
  });
});

it("what the delivery keeps in a message is in no query, pipeline or record", async () => {
  const q = "SELECT * FROM email_message LIMIT 1";
  const { text } = await http.get("/v1/query", { token: owner.token, query: { q }, expect: 200 });
  expect(text).not.toContain('"_email');
  const pipelines = [
    [{ $project: { x: "$_email" } }],
    [{ $project: { x: "$$ROOT" } }],
    [{ $match: { "_email.unsubscribe": { $exists: true } } }],
    [{ $group: { _id: null, all: { $push: "$$ROOT" } } }],
    [{ $project: { x: { $objectToArray: "$$ROOT" } } }],
  ];
  const list = { to_emails: ["list@example.com"], subject: "List", category: "list" };
  await http.post(SEND, { token: owner.token, body: list, expect: 200 });
  for (const pipeline of pipelines) {
    const body = { collection: "email_message", pipeline };
    const reply = await http.post("/v1/query/docdb", { token: owner.token, body });
    expect(reply.text, JSON.stringify(pipeline)).not.toMatch(/"unsubscribe"|"k":"_email"/);
    if (JSON.stringify(pipeline).includes("$match"))
      expect([[], 422]).toContainEqual(reply.status === 422 ? 422 : reply.body);
  }
});
