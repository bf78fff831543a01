import { beforeAll, describe, expect, it } from "vitest";
import { addUser, databaseClient, type HttpReply, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
  await createList({ name: "Stages", values: ["Open", "Done"] });
  const stage = { name: "Stage", type: "string", format: "enum", global_list_name: "Stages", restricted: true };
  const tags = { name: "Tags", type: "list", format: "multi-select", global_list_name: "Stages", restricted: true };
  const hint = { name: "Hint", type: "string", format: "enum", global_list_name: "Stages" };
  for (const body of [
    { name: "Deal", fields: [stage, hint] },
    { name: "Order", fields: [tags] },
  ])
    await http.post("/v1/schema", { token: owner.token, body, expect: 201 });
});

const createList = (body: unknown, expected = 201) =>
  http.post("/v1/object/value_list", { token: owner.token, body, expect: expected });
const changeList = (id: string, body: unknown, expected = 200) =>
  http.patch(`/v1/object/value_list/${id}`, { token: owner.token, body, expect: expected });
const addField = (body: object, expected = 200, object_id = "deal") =>
  http.post("/v1/schema/field", { token: owner.token, body: { object_id, ...body }, expect: expected });
const changeField = (body: object, expected = 200, object_id = "deal") =>
  http.patch("/v1/schema/field", { token: owner.token, body: { object_id, ...body }, expect: expected });
const write = (object: string, body: object, expected = 201) =>
  http.post(`/v1/object/${object}`, { token: owner.token, body: { name: "X", ...body }, expect: expected });
const fieldOf = async (object: string, name: string) =>
  (await http.get(`/v1/schema/${object}`, { token: owner.token, expect: 200 })).body.properties[name];
const issuesOf = ({ body }: HttpReply) =>
  body.detail.map(({ loc, type }: { loc: string[]; type: string }) => [loc, type]);

describe("a field with a value list", () => {
  it("takes the values of the list, which several objects share, and other texts where it is not restricted", async () => {
    await write("deal", { stage: "Open", hint: "Something else" });
    await write("order", { tags: ["Open", "Done"] });
    expect(issuesOf(await write("deal", { stage: "Lost" }, 422))).toEqual([[["body", "stage"], "enum"]]);
    expect(issuesOf(await write("order", { tags: ["Open", "Lost"] }, 422))).toEqual([[["body", "tags", 1], "enum"]]);
  });

  it("is shown with the values and the name of the list, also in the replies that create it", async () => {
    const shown = { global_list_name: "Stages", values: ["Open", "Done"], restricted: true };
    expect(await fieldOf("deal", "stage")).toMatchObject(shown);
    const all = await http.get("/v1/schema", { token: owner.token, expect: 200 });
    expect(all.body.order.properties.tags).toMatchObject(shown);
    const settings = { type: "string", format: "enum", global_list_name: "Stages", restricted: true };
    expect((await addField({ name: "Second stage", ...settings, default: "Open" })).body).toMatchObject(shown);
    expect((await changeField({ api_name: "second_stage", help_text: "Later" })).body).toMatchObject(shown);
    const body = { name: "Copy", fields: [{ name: "Stage", ...settings }] };
    const created = await http.post("/v1/schema", { token: owner.token, body, expect: 201 });
    expect(created.body.properties.stage).toMatchObject(shown);
    expect((await write("deal", {})).body.second_stage).toBe("Open");
  });

  it("shows the values to members without a permission for lists", async () => {
    const body = { name: "Deals", object_permissions: { deal: { read: true } } };
    const made = await http.post("/v1/object/permission", { token: owner.token, body, expect: 201 });
    const member = await addUser(owner.organizationId, { permissions: [made.body.id] });
    const { properties } = (await http.get("/v1/schema/deal", { token: member.token, expect: 200 })).body;
    expect(properties.stage.values).toEqual(["Open", "Done"]);
    await http.get("/v1/object/value_list", { token: member.token, expect: 403 });
  });

  it("is stored without the values of the list", async () => {
    const mongo = await databaseClient();
    const stored = await mongo.db(owner.organizationId).collection("schemas").findOne({ api_name: "deal" });
    expect(stored?.properties.stage).toMatchObject({ global_list_name: "Stages" });
    expect(stored?.properties.stage).not.toHaveProperty("values");
    await mongo.close();
  });

  it("422 for a list that does not exist, for values beside a list, and for another format", async () => {
    const choice = { name: "Bad", type: "string", format: "enum" };
    const list = "global_list_name";
    expect(issuesOf(await addField({ ...choice, [list]: "Nothing" }, 422))).toEqual([[["body", list], "unknown_list"]]);
    const both = { ...choice, [list]: "Stages", values: ["Open"] };
    expect(issuesOf(await addField(both, 422))).toEqual([[["body", list], "field_values"]]);
    const text = { name: "Bad", type: "string", [list]: "Stages" };
    expect(issuesOf(await addField(text, 422))).toEqual([[["body", list], "field_values"]]);
    const wrong = { ...choice, [list]: "Stages", restricted: true, default: "Lost" };
    expect(issuesOf(await addField(wrong, 422))).toEqual([[["body", "default"], "enum"]]);
    const body = { name: "Bad object", fields: [{ ...choice, [list]: "Nothing" }] };
    const refused = await http.post("/v1/schema", { token: owner.token, body, expect: 422 });
    expect(issuesOf(refused)).toEqual([[["body", "fields", 0, list], "unknown_list"]]);
  });

  it("gets values of its own in place of the list, and a list in place of its values", async () => {
    await addField({ name: "Kind", type: "string", format: "enum", values: ["a"], restricted: true });
    const listed = (await changeField({ api_name: "kind", global_list_name: "Stages" })).body;
    expect(listed).toMatchObject({ global_list_name: "Stages", values: ["Open", "Done"] });
    await write("deal", { kind: "a" }, 422);
    const own = (await changeField({ api_name: "kind", values: ["b"] })).body;
    expect(own.values).toEqual(["b"]);
    expect(own).not.toHaveProperty("global_list_name");
    await write("deal", { kind: "b" });
    await changeField({ api_name: "kind", values: ["c"], global_list_name: "Stages" }, 422);
  });
});

describe("a change of a value list", () => {
  it("counts for the next write and the next description in every execution environment", async () => {
    const { id } = (await createList({ name: "Sizes", values: ["S"] })).body;
    await addField({ name: "Size", type: "string", format: "enum", global_list_name: "Sizes", restricted: true });
    const everywhere = (send: () => Promise<HttpReply>) => Promise.all(Array.from({ length: 8 }, send));
    const refused = await everywhere(() => write("deal", { size: "M" }, 422));
    expect(refused).toHaveLength(8);
    await everywhere(() => http.get("/v1/schema/deal", { token: owner.token, expect: 200 }));
    await changeList(id, { values: ["S", "M"] });
    await everywhere(() => write("deal", { size: "M" }, 201));
    for (const { body } of await everywhere(() => http.get("/v1/schema/deal", { token: owner.token, expect: 200 })))
      expect(body.properties.size.values).toEqual(["S", "M"]);
  });

  it("leaves values that are taken away in the records, and refuses only new writes of them", async () => {
    const { id } = (await createList({ name: "Colours", values: ["red", "blue"] })).body;
    await addField({ name: "Colour", type: "string", format: "enum", global_list_name: "Colours", restricted: true });
    const { body: record } = await write("deal", { colour: "red" });
    await changeList(id, { values: ["blue"] });
    const patch = (body: object, expected: number) =>
      http.patch(`/v1/object/deal/${record.id}`, { token: owner.token, body, expect: expected });
    expect((await patch({ name: "Y" }, 200)).body).toMatchObject({ name: "Y", colour: "red" });
    await write("deal", { colour: "red" }, 422);
    expect((await patch({ name: "Z", colour: "red" }, 200)).body).toMatchObject({ name: "Z", colour: "red" });
    await patch({ colour: "blue" }, 200);
    await patch({ colour: "red" }, 422);
  });

  it("lets a record keep the values that it holds among several", async () => {
    const { id } = (await createList({ name: "Flags", values: ["a", "b", "c"] })).body;
    const field = { name: "Flags", type: "list", format: "multi-select", global_list_name: "Flags", restricted: true };
    await addField(field);
    const { body: record } = await write("deal", { flags: ["a", "b"] });
    await changeList(id, { values: ["c"] });
    const patch = (flags: string[], expected: number) =>
      http.patch(`/v1/object/deal/${record.id}`, { token: owner.token, body: { flags }, expect: expected });
    expect((await patch(["c", "a"], 200)).body.flags).toEqual(["c", "a"]);
    expect(issuesOf(await patch(["c", "b"], 422))).toEqual([[["body", "flags", 1], "enum"]]);
    const other = (await write("deal", { flags: ["c"] })).body;
    const many = [
      { id: record.id, flags: ["a"] },
      { id: other.id, flags: ["a"] },
    ];
    const batch = await http.patch("/v1/object/deal", { token: owner.token, body: many, expect: 422 });
    expect(issuesOf(batch)).toEqual([[["body", 1, "flags", 0], "enum"]]);
  });

  it("does not tell a caller who may not read the field which value a record holds", async () => {
    const { id } = (await createList({ name: "Ranks", values: ["gold"] })).body;
    await addField({ name: "Rank", type: "string", format: "enum", global_list_name: "Ranks", restricted: true });
    const { body: record } = await write("deal", { rank: "gold" });
    await changeList(id, { values: ["silver"] });
    const rights = {
      name: "Writers",
      object_permissions: { deal: { read: true, update: true } },
      object_field_permissions: { deal: { rank: { read: false, update: true } } },
    };
    const made = await http.post("/v1/object/permission", { token: owner.token, body: rights, expect: 201 });
    const member = await addUser(owner.organizationId, { permissions: [made.body.id] });
    await http.patch(`/v1/object/deal/${record.id}`, { token: owner.token, body: { owner: member.id }, expect: 200 });
    const send = (rank: string) =>
      http.patch(`/v1/object/deal/${record.id}`, { token: member.token, body: { rank }, expect: 422 });
    expect(issuesOf(await send("gold"))).toEqual(issuesOf(await send("bronze")));
  });

  it("409 for a list that fields name and that is deleted or renamed, with the fields", async () => {
    const lists = await http.get("/v1/object/value_list", { token: owner.token, expect: 200 });
    const { id } = lists.body.find(({ name }: { name: string }) => name === "Stages");
    for (const reply of [
      await changeList(id, { name: "Phases" }, 409),
      await http.delete(`/v1/object/value_list/${id}`, { token: owner.token, expect: 409 }),
      await http.delete("/v1/object/value_list", { token: owner.token, query: { ids: [id] }, expect: 409 }),
    ]) {
      expect(reply.body.code).toBe("in_use");
      expect(reply.body.detail).toContain('"Stages" is needed by the field "stage" of "deal"');
      expect(reply.body.detail).toContain('the field "tags" of "order"');
    }
    const unused = (await createList({ name: "Unused", values: ["a"] })).body;
    await changeList(unused.id, { name: "Renamed" });
    await http.delete(`/v1/object/value_list/${unused.id}`, { token: owner.token, expect: 200 });
  });

  it("and a field that comes to name the list at the same time do not lose each other", async () => {
    for (let round = 0; round < 4; round += 1) {
      const name = `Race ${round}`;
      const { id } = (await createList({ name, values: ["a"] })).body;
      const field = { object_id: "deal", name, type: "string", format: "enum", global_list_name: name };
      const [added, deleted] = await Promise.all([
        http.post("/v1/schema/field", { token: owner.token, body: field }),
        http.delete(`/v1/object/value_list/${id}`, { token: owner.token }),
      ]);
      expect([
        [200, 409],
        [422, 200],
      ]).toContainEqual([added.status, deleted.status]);
    }
  });
});

describe("a value list", () => {
  it("is written by administrators only", async () => {
    const everything = { create: true, read: true, update: true, delete: true };
    const body = { name: "Lists", object_permissions: { value_list: everything } };
    const made = await http.post("/v1/object/permission", { token: owner.token, body, expect: 201 });
    const { token } = await addUser(owner.organizationId, { permissions: [made.body.id] });
    const list = { name: "Mine", values: ["a"] };
    await http.post("/v1/object/value_list", { token, body: list, expect: 403 });
    const [first] = (await http.get("/v1/object/value_list", { token, expect: 200 })).body;
    await http.patch(`/v1/object/value_list/${first.id}`, { token, body: list, expect: 403 });
    await http.delete(`/v1/object/value_list/${first.id}`, { token, expect: 403 });
  });

  it("has a name of its own", async () => {
    expect((await createList({ name: "Stages", values: ["a"] }, 409)).body.code).toBe("duplicate_value");
  });

  it.each([
    ["no values", { name: "Bad", values: [] }],
    ["no list of values", { name: "Bad", values: "a" }],
    ["a value twice", { name: "Bad", values: ["a", "a"] }],
    ["an empty value", { name: "Bad", values: [""] }],
    ["a number", { name: "Bad", values: [1] }],
    ["a value of 256 characters", { name: "Bad", values: ["x".repeat(256)] }],
    ["1,001 values", { name: "Bad", values: Array.from({ length: 1_001 }, (_, index) => `v${index}`) }],
    ["a name of 256 characters", { name: "x".repeat(256), values: ["a"] }],
    ["blanks around its name", { name: " Bad", values: ["a"] }],
    ["no name", { values: ["a"] }],
  ])("422 for %s", async (_, body) => {
    await createList(body, 422);
  });

  it("may have 1,000 values of 255 characters, and no object grows beyond 512 KiB by its lists", async () => {
    const valuesOf = (length: number) =>
      Array.from({ length: 1_000 }, (_, index) => String(index).padStart(length, "-"));
    await createList({ name: "Long", values: valuesOf(255) });
    const { id } = (await createList({ name: "Short", values: valuesOf(10) })).body;
    const choice = (name: string, list: string) => ({ name, type: "string", format: "enum", global_list_name: list });
    const body = { name: "Large", fields: [choice("One", "Long")] };
    await http.post("/v1/schema", { token: owner.token, body, expect: 201 });
    await addField(choice("Two", "Long"), 200, "large");
    const third = await addField(choice("Three", "Long"), 422, "large");
    expect(issuesOf(third)).toEqual([[["body"], "model_too_large"]]);
    await http.delete("/v1/schema/large/two", { token: owner.token, expect: 200 });
    await addField(choice("Short one", "Short"), 200, "large");
    await addField(choice("Short two", "Short"), 200, "large");
    const refused = await changeList(id, { values: valuesOf(255) }, 422);
    expect(issuesOf(refused)).toEqual([[["body"], "model_too_large"]]);
    expect(refused.body.detail[0].msg).toContain('"large"');
    await changeList(id, { values: valuesOf(20) });
  });

  it("422 for more than 200 lists in an organization", async () => {
    const other = await registerOrganization();
    const post = (count: number, expected: number, from = 0) => {
      const body = Array.from({ length: count }, (_, index) => ({ name: `List ${from + index}`, values: ["a"] }));
      return http.post("/v1/object/value_list", { token: other.token, body, expect: expected });
    };
    await post(199, 201);
    expect(issuesOf(await post(2, 422, 300))).toEqual([[["body"], "too_many_value_lists"]]);
    await post(1, 201, 400);
  });

  it("does not exist in an organization from before it until the model is completed", async () => {
    const older = await registerOrganization();
    const mongo = await databaseClient();
    await mongo.db(older.organizationId).collection<{ _id: string }>("schemas").deleteOne({ _id: "value_list" });
    await mongo.close();
    const { token } = older;
    const list = { name: "Stages", values: ["a"] };
    await http.post("/v1/object/value_list", { token, body: list, expect: 404 });
    const field = { object_id: "lead", name: "X", type: "string", format: "enum", global_list_name: "Stages" };
    await http.post("/v1/schema/field", { token, body: field, expect: 422 });
    expect((await http.post("/v1/schema/generate/", { token, expect: 200 })).body.created).toEqual(["value_list"]);
    await http.post("/v1/object/value_list", { token, body: list, expect: 201 });
    await http.post("/v1/schema/field", { token, body: field, expect: 200 });
  });
});
