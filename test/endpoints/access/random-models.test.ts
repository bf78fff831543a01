import * as fc from "fast-check";
import type { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addUser, databaseClient, http, registerOrganization, type User } from "../../platform.ts";
import { propertyRuns } from "../../setup/property-runs.ts";
import { arbitraryModel, fieldNames, kinds, MEMBERS, type Model, type ModelRecord } from "./arbitrary-model.ts";
import {
  isEncrypted,
  isMasked,
  isValid,
  may,
  mayField,
  parentOf,
  permissionsOf,
  rightTo,
  valuesOf,
} from "./reading-of-rules.ts";
import { type Stored, visible, type World } from "./visible-records.ts";

let people: User[];
let mongo: MongoClient;
let runs = 0;

const owner = (): User => people[0] as User;

beforeAll(async () => {
  const registered = await registerOrganization();
  mongo = await databaseClient();
  const members = Array.from({ length: MEMBERS }, () => addUser(registered.organizationId, { permissions: [] }));
  people = [registered, ...(await Promise.all(members))];
});

afterAll(() => mongo.close());

const post = async (path: string, body: unknown) =>
  (await http.post(path, { token: owner().token, body, expect: 201 })).body;

const createObjects = async (model: Model, names: readonly [string, string]): Promise<void> => {
  for (const [index, { fields, ruled, ...settings }] of model.objects.entries()) {
    const own = fields.map(({ kind, required, sensitive, encrypted }, position) => ({
      api_name: fieldNames[position],
      name: fieldNames[position],
      required,
      sensitive,
      encrypted: encrypted && kind === "text",
      ...kinds[kind].field,
    }));
    const reference = { api_name: "refers", name: "Refers", type: "json", format: "lookup", schema: names[0] };
    const body = {
      name: names[index],
      api_name: names[index],
      ...settings,
      fields: index === 0 ? own : [...own, reference],
    };
    await post("/v1/schema", body);
    for (const [position, { kind }] of fields.entries()) {
      if (!ruled || kind !== "number") continue;
      const rule = {
        name: `rule ${position}`,
        condition: `record.${fieldNames[position]} > 40.0`,
        error_message: "Too much.",
      };
      const token = owner().token;
      await http.post(`/v1/schema/${names[index]}/validation-rule`, { token, body: rule, expect: 200 });
    }
  }
};

const createRights = async (model: Model, names: readonly [string, string]): Promise<string[]> => {
  const permissions: { id: string }[] = await post(
    "/v1/object/permission",
    model.permissions.map(({ objects, fields, sensitive }, index) => ({
      name: `permission ${index}`,
      scopes: sensitive ? ["sensitive:read"] : [],
      object_permissions: { [names[0]]: objects[0], [names[1]]: objects[1] },
      object_field_permissions: { [names[0]]: fields[0], [names[1]]: fields[1] },
    })),
  );
  const roles: string[] = [];
  for (const [index, { view_access }] of model.roles.entries()) {
    const above = parentOf(model, index);
    const parent = above === null ? null : roles[above];
    roles.push((await post("/v1/object/role", { name: `role ${index}`, view_access, parent })).id);
  }
  const body = model.members.map(({ role }, index) => ({
    id: people[index + 1]?.id,
    role: role === null ? null : roles[role % roles.length],
    permissions: permissionsOf(model, index + 1).map((permission) => permissions[permission]?.id),
  }));
  await http.patch("/v1/object/user", { token: owner().token, body, expect: 200 });
  return roles;
};

const bodyOf = (model: Model, object: number, record: ModelRecord, roles: readonly string[]) => {
  const held = new Map(
    record.shares.map(({ holder, index, access }) => {
      const id = holder === "user" ? people[index]?.id : roles[index % roles.length];
      return [`${holder} ${id}`, { [holder]: id, access }];
    }),
  );
  const shared = model.objects[object]?.exclusive_ownership ? {} : { shared_with: [...held.values()] };
  return { name: "record", ...valuesOf(model, object, record), ...shared, owner: people[record.owner]?.id };
};

/** Of two shares with the same user or role, the later one counts. */
const withDistinctShares = (model: Model, record: ModelRecord): ModelRecord => {
  const shares = record.shares.map((share) =>
    share.holder === "role" ? { ...share, index: share.index % model.roles.length } : share,
  );
  return { ...record, shares: [...new Map(shares.map((share) => [`${share.holder} ${share.index}`, share])).values()] };
};

/** Stores the records that fit, and expects that the others are refused. */
const createRecords = async (
  model: Model,
  object: number,
  path: string,
  roles: readonly string[],
  targets: readonly Stored[],
): Promise<Stored[]> => {
  const records = (model.records[object] ?? []).map((record) => withDistinctShares(model, record));
  const fits = (record: ModelRecord): boolean => isValid(model, object, valuesOf(model, object, record));
  for (const record of records.filter((one) => !fits(one)).slice(0, 3)) {
    await http.post(path, { token: owner().token, body: bodyOf(model, object, record, roles), expect: 422 });
  }
  const fitting = records.filter(fits);
  if (fitting.length === 0) return [];
  const stored = fitting.map((record) => {
    const isReferring = object === 1 && record.refers !== null && targets.length > 0;
    return { record, refers: isReferring ? (targets[(record.refers ?? 0) % targets.length] ?? null) : null };
  });
  const bodies = stored.map(({ record, refers }) => ({
    ...bodyOf(model, object, record, roles),
    ...(refers === null ? {} : { refers: refers.id }),
  }));
  const created: { id: string }[] = await post(path, bodies);
  return stored.map(({ record, refers }, index) => ({
    id: created[index]?.id ?? "",
    record,
    values: valuesOf(model, object, record),
    refers,
  }));
};

const build = async (model: Model): Promise<World> => {
  runs += 1;
  const names = [`first_${runs}`, `second_${runs}`] as const;
  await createObjects(model, names);
  const roles = await createRights(model, names);
  const first = await createRecords(model, 0, `/v1/object/${names[0]}`, roles, []);
  const second = await createRecords(model, 1, `/v1/object/${names[1]}`, roles, first);
  return { model, names, stored: [first, second] };
};

const only = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(["id", ...fieldNames].flatMap((name) => (name in row ? [[name, row[name] ?? null]] : [])));

const checkReads = async (world: World, member: number, object: number): Promise<void> => {
  const { model, names } = world;
  const { token } = people[member] as User;
  const name = names[object] ?? "";
  const list = await http.get(`/v1/object/${name}`, { token, query: { order_by: "id" } });
  const query = (q: string) => http.get("/v1/query", { token, query: { q } });
  const pipeline = (stages: unknown[]) =>
    http.post("/v1/query/docdb", { token, body: { collection: name, pipeline: stages } });
  if (!may(model, member, object, "read")) {
    expect(list.status).toBe(403);
    expect((await query(`SELECT id FROM ${name}`)).status).toBe(422);
    expect((await pipeline([])).status).toBe(422);
    return;
  }
  const { readable, rows, records, queried, piped } = visible(world, member, object);
  expect(list.body.map(only)).toEqual(rows);
  expect(list.headers.get("x-total-count")).toBe(String(rows.length));
  const columns = ["id", ...readable].join(", ");
  expect((await query(`SELECT ${columns} FROM ${name} ORDER BY id`)).body.records.map(only)).toEqual(queried);
  const secret = readable.find((field) => isMasked(model, member, object, field) || isEncrypted(model, object, field));
  if (secret !== undefined) {
    for (const part of [`WHERE ${secret} > 'a'`, `ORDER BY ${secret}`, `GROUP BY ${secret}`]) {
      expect((await query(`SELECT COUNT(*) FROM ${name} ${part}`)).status).toBe(422);
    }
    expect((await http.get(`/v1/object/${name}`, { token, query: { order_by: secret } })).status).toBe(422);
    const values = Object.values(kinds).flatMap(({ fitting }): unknown[] => [...fitting]);
    expect((await pipeline([{ $match: { [secret]: { $in: values } } }])).body).toEqual([]);
  }
  const hidden = fieldNames.find((field) => !readable.includes(field));
  if (hidden !== undefined) {
    const unread = `SELECT id FROM ${name} WHERE ${hidden} IS NULL`;
    expect((await query(unread)).status).toBe(422);
    const [matched] = (await pipeline([{ $match: { [hidden]: { $ne: null } } }, { $count: "n" }])).body;
    expect(matched).toBe(undefined);
    const sorted = await http.get(`/v1/object/${name}`, { token, query: { order_by: hidden } });
    expect(sorted.status).toBe(422);
  }
  const found = await pipeline([{ $sort: { id: 1 } }]);
  expect(found.body.map(only).map((row: object) => ({ ...nulls(Object.keys(piped[0] ?? {})), ...row }))).toEqual(piped);
  if (object === 1) await checkJoin(world, member, records, { query, pipeline });
};

const nulls = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));

interface Ways {
  query(q: string): ReturnType<typeof http.get>;
  pipeline(stages: unknown[]): ReturnType<typeof http.get>;
}

/** Pairs of a record and the one that it refers to, both visible. */
const checkJoin = async (world: World, member: number, records: readonly Stored[], ways: Ways): Promise<void> => {
  const { model, names } = world;
  if (!may(model, member, 0, "read")) return;
  const seen = new Set(visible(world, member, 0).records.map(({ id }) => id));
  const pairs = records.flatMap(({ id, refers }) => {
    const target = refers?.id;
    return target !== undefined && seen.has(target) ? [`${id} ${target}`] : [];
  });
  const join = `SELECT b.id AS one, a.id AS other FROM ${names[1]} b JOIN ${names[0]} a ON b.refers = a.id`;
  const joined: { one: string; other: string }[] = (await ways.query(join)).body.records;
  expect(joined.map(({ one, other }) => `${one} ${other}`).sort()).toEqual(pairs.sort());
  const lookup = { from: names[0], localField: "refers.id", foreignField: "id", as: "found" };
  const stages = [{ $lookup: lookup }, { $unwind: "$found" }, { $project: { id: 1, "found.id": 1 } }];
  const looked: { id: string; found: { id: string } }[] = (await ways.pipeline(stages)).body;
  expect(looked.map(({ id, found }) => `${id} ${found.id}`).sort()).toEqual(pairs);
};

/** The status that the rules give, and the change to what is stored. */
const checkWrite = async (world: World, write: Model["writes"][number]): Promise<void> => {
  const { model, names, stored } = world;
  const { member, object, kind } = write;
  const records = stored[object] ?? [];
  const target = records[write.record % Math.max(1, records.length)];
  if (target === undefined) return;
  const { token } = people[member] as User;
  const path = `/v1/object/${names[object]}/${target.id}`;
  const right = rightTo(model, member, object, target.record);
  if (kind === "delete") {
    const enough = right === 3 ? 200 : 403;
    const expected = !may(model, member, object, "delete") ? 403 : right === 0 ? 404 : enough;
    await http.delete(path, { token, expect: expected });
    if (expected === 200) records.splice(records.indexOf(target), 1);
    return;
  }
  const field = fieldNames[write.field] as string;
  const fitting = kinds[model.objects[object]?.fields[write.field]?.kind ?? "text"].fitting;
  const value = fitting[write.value % fitting.length];
  // A field that one may neither write nor read is not there.
  const hidden = mayField(model, member, object, field, "read") ? 403 : 422;
  const forbidden = may(model, member, object, "update") ? hidden : 403;
  const allowed = may(model, member, object, "update") && mayField(model, member, object, field, "update");
  const after = { ...target.values, [field]: value };
  const fits = isValid(model, object, after) ? 200 : 422;
  const enough = right === 1 ? 403 : fits;
  const expected = !allowed ? forbidden : right === 0 ? 404 : enough;
  await http.patch(path, { token, body: { [field]: value }, expect: expected });
  if (expected === 200) target.values[field] = value;
};

/** Reads what is stored, past the platform. Encrypted values are documents there. */
const checkStored = async ({ model, names, stored }: World): Promise<void> => {
  for (const [object, name] of names.entries()) {
    const documents = await mongo.db(owner().organizationId).collection<{ _id: string }>(name).find().toArray();
    for (const document of documents) {
      const encrypted = fieldNames.filter((field) => isEncrypted(model, object, field) && field in document);
      for (const field of encrypted) expect(typeof (document as Record<string, unknown>)[field]).toBe("object");
      const opened = Object.fromEntries(encrypted.map((field) => [field, kinds.text.fitting[0]]));
      expect(isValid(model, object, { ...document, ...opened })).toBe(true);
    }
    const known = (stored[object] ?? []).map(({ id }) => id);
    expect(documents.map(({ _id }) => _id).sort()).toEqual(known.sort());
  }
};

it("shows and changes what a reading of the rules allows, for random models, rights and records", async () => {
  const { numRuns, seed } = propertyRuns(400);
  await fc.assert(
    fc.asyncProperty(arbitraryModel, async (model) => {
      const world = await build(model);
      for (let member = 0; member <= MEMBERS; member += 1) {
        for (const object of [0, 1]) await checkReads(world, member, object);
      }
      for (const write of model.writes) await checkWrite(world, write);
      await checkStored(world);
      for (const object of [0, 1]) await checkReads(world, 1, object);
    }),
    // Each case makes a hundred requests, so a failing one is shown as it is.
    { numRuns: Math.ceil(numRuns / 8), seed, endOnFailure: true },
  );
});
