import { MongoClient } from "mongodb";
import { claimsOf, tokenForge } from "../setup/forge-token.ts";
import { type HttpClient, httpClient } from "../setup/http-client.ts";
import type { LaunchedPlatform } from "../setup/launch-platform.ts";
import { comparePair, type Target, timedGet, timedPost } from "./measure.ts";
import { ratio } from "./print.ts";

const RECORDS = 50_000;
const LEAVES = 100;
const USERS_PER_LEAF = 10;
const ROUNDS = 300;

type Access = LaunchedPlatform["access"];
type Stored = { _id: string } & Record<string, unknown>;

interface Organization {
  readonly id: string;
  /** The owner's token. */
  readonly token: string;
  /** A token of another user, who is in the database. */
  tokenOf(user: string): Promise<string>;
}

const everything = { create: true, read: true, update: true, delete: true };

const register = async (access: Access, http: HttpClient, name: string): Promise<Organization> => {
  const { body } = await http.post("/v1/register", {
    body: { organization_name: name, email: `${name}@example.test`, password: "correct horse battery staple" },
    expect: 201,
  });
  const forge = tokenForge(access);
  const tokenOf = (sub: string): Promise<string> =>
    forge.sign({ ...claimsOf(body.access_token), sub, sid: `session-${sub}` });
  return { id: body.organization_id, token: body.access_token, tokenOf };
};

/** A member with a session. */
const userOf = (_id: string, role: string): Stored => ({
  _id,
  id: _id,
  name: `User ${_id}`,
  email: `${_id}@example.test`,
  is_active: true,
  role: { id: role, schema: "role", name: role },
  permissions: [{ id: "all", schema: "permission", name: "all" }],
});

const insertUsers = async (mongo: MongoClient, organization: string, users: readonly Stored[]): Promise<void> => {
  const db = mongo.db(organization);
  const expires_at = new Date(Date.now() + 3_600_000);
  await db.collection<Stored>("user").insertMany([...users]);
  await db
    .collection<Stored>("admitted_session")
    .insertMany(
      users.map(({ _id }) => ({ _id: `session-${_id}`, user_id: _id, is_superuser: false, scope: "all", expires_at })),
    );
  await db.collection<Stored>("permission").insertOne({
    _id: "all",
    id: "all",
    name: "all",
    object_permissions: Object.fromEntries(["lead", "plain", "ruled"].map((name) => [name, everything])),
  });
};

const insertRoles = (mongo: MongoClient, organization: string, roles: readonly (readonly [string, string | null])[]) =>
  mongo
    .db(organization)
    .collection<Stored>("role")
    .insertMany(
      roles.map(([_id, parent]) => ({
        _id,
        id: _id,
        name: _id,
        view_access: "subordinate",
        ...(parent === null ? {} : { parent: { id: parent, schema: "role", name: parent } }),
      })),
    );

const fields = [
  { api_name: "amount", name: "Amount", type: "number" },
  { api_name: "discount", name: "Discount", type: "number" },
  { api_name: "status", name: "Status", type: "string", format: "enum", values: ["new", "won"], restricted: true },
  { api_name: "email", name: "Email", type: "string", format: "email" },
  { api_name: "due", name: "Due", type: "string", format: "date" },
  { api_name: "remark", name: "Remark", type: "string" },
];

const rules = [
  "record.amount < 0.0",
  "record.discount > record.amount",
  'record.status == "won" && record.amount == 0.0',
  'has(record.email) && record.email.endsWith("@invalid.test")',
  'has(record.remark) && size(record.remark) > 200 && user.id != "nobody"',
];

const bodyOf = (index: number) => ({
  name: `Record ${index}`,
  amount: index + 10,
  discount: 5,
  status: "new",
  email: `r${index}@example.test`,
  due: "2026-12-24",
  remark: "As agreed by telephone",
});

/** A member with a role and five rules against an administrator and none: one create, and a list of 100. */
const benchChecks = async (access: Access, http: HttpClient, mongo: MongoClient): Promise<void> => {
  const { id, token, tokenOf } = await register(access, http, "checks");
  for (const name of ["Plain", "Ruled"]) await http.post("/v1/schema", { token, body: { name, fields }, expect: 201 });
  for (const [index, condition] of rules.entries()) {
    const body = { name: `Rule ${index}`, condition, error_message: "No." };
    await http.post("/v1/schema/ruled/validation-rule", { token, body, expect: 200 });
  }
  await insertRoles(mongo, id, [["team", null]]);
  await insertUsers(mongo, id, [userOf("member", "team")]);
  const member = await tokenOf("member");
  const create = (object: string, bearer: string): Promise<number> =>
    timedPost(
      {
        url: `${access.url}/v1/object/${object}`,
        headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
      },
      JSON.stringify(bodyOf(1)),
      201,
    ).then(({ milliseconds }) => milliseconds);
  const created = await comparePair(
    () => create("ruled", member),
    () => create("plain", token),
    ROUNDS,
  );
  ratio("create with 5 rules and a role ÷ without, as admin", created, 1.5);
  const lists = await comparePair(
    () => timedGet(list(access, "ruled", member)),
    () => timedGet(list(access, "plain", token)),
    ROUNDS,
  );
  ratio("list of 100 with rules and a role ÷ without", lists, 1.25);
};

const list = ({ url }: Access, object: string, bearer: string): Target => ({
  url: `${url}/v1/object/${object}?limit=100&count=false`,
  headers: { authorization: `Bearer ${bearer}` },
});

const QUERY = "SELECT id, name, amount FROM lead ORDER BY created_date DESC LIMIT 100";

const query = ({ url }: Access, bearer: string): Target => ({
  url: `${url}/v1/query?${new URLSearchParams({ q: QUERY, bypass_cache: "true" })}`,
  headers: { authorization: `Bearer ${bearer}` },
});

/**
 * 50,000 leads of 1,000 users in a hierarchy of three levels, and `outside` further users without leads. The heads of
 * the three levels see the leads of 1,000, 100 and 10 users.
 */
const hierarchy = async (
  access: Access,
  http: HttpClient,
  mongo: MongoClient,
  name: string,
  outside: number,
): Promise<{ readonly admin: string; readonly heads: readonly (readonly [number, string])[] }> => {
  const { id, token, tokenOf } = await register(access, http, name);
  await http.post("/v1/object/lead", { token, body: { name: "First" }, expect: 201 });
  const leaves = Array.from({ length: LEAVES }, (_, index) => `leaf-${index}`);
  await insertRoles(mongo, id, [
    ["top", null],
    ["elsewhere", null],
    ...Array.from({ length: 10 }, (_, index) => [`middle-${index}`, "top"] as const),
    ...leaves.map((leaf, index) => [leaf, `middle-${index % 10}`] as const),
  ]);
  const owners = leaves.flatMap((leaf) =>
    Array.from({ length: USERS_PER_LEAF }, (_, index) => userOf(`user-${leaf}-${index}`, leaf)),
  );
  await insertUsers(mongo, id, [
    userOf("top", "top"),
    userOf("middle", "middle-0"),
    ...owners,
    ...Array.from({ length: outside }, (_, index) => userOf(`outside-${index}`, "elsewhere")),
  ]);
  const leads = mongo.db(id).collection<Stored>("lead");
  for (let start = 0; start < RECORDS; start += 5_000) {
    await leads.insertMany(
      Array.from({ length: 5_000 }, (_, offset) => {
        const index = start + offset;
        const { _id: user } = owners[(index * 7919) % owners.length] as Stored;
        const at = new Date(1.7e12 + index * 1_000);
        const by = { id: user, schema: "user", name: user };
        const system = { created_date: at, modified_date: at, created_by: by, modified_by: by, owner: by };
        const _id = `lead-${String(index).padStart(8, "0")}`;
        return {
          _id,
          id: _id,
          name: `Lead ${index}`,
          amount: index,
          ...system,
          shared_with: [],
          _readers: [`owner:${user}`],
        };
      }),
    );
  }
  const heads = [
    [1_000, await tokenOf("top")],
    [100, await tokenOf("middle")],
    [10, await tokenOf("user-leaf-0-0")],
  ] as const;
  return { admin: token, heads };
};

const benchHierarchy = async (access: Access, http: HttpClient, mongo: MongoClient): Promise<void> => {
  const small = await hierarchy(access, http, mongo, "thousand", 0);
  for (const [users, token] of small.heads) {
    const what = `of ${users.toLocaleString("en-US")} users ÷ admin`;
    const lists = await comparePair(
      () => timedGet(list(access, "lead", token)),
      () => timedGet(list(access, "lead", small.admin)),
      ROUNDS,
    );
    ratio(`list under the row filter ${what}`, lists, 1.5);
    const queries = await comparePair(
      () => timedGet(query(access, token)),
      () => timedGet(query(access, small.admin)),
      ROUNDS,
    );
    ratio(`query under the row filter ${what}`, queries, 1.5);
  }
  const large = await hierarchy(access, http, mongo, "many", 9_000);
  for (const [index, [users, token]] of large.heads.entries()) {
    const without = small.heads[index]?.[1] ?? "";
    const lists = await comparePair(
      () => timedGet(list(access, "lead", token)),
      () => timedGet(list(access, "lead", without)),
      ROUNDS,
    );
    ratio(`list of a branch of ${users} with 9,000 users outside ÷ 0`, lists, 1.1);
  }
};

/** What rules, roles and row filters cost, over HTTP. */
export const benchAccess = async (access: Access): Promise<void> => {
  const http = httpClient(access.url);
  const mongo = await new MongoClient(access.mongoUri).connect();
  await benchChecks(access, http, mongo);
  await benchHierarchy(access, http, mongo);
  await mongo.close();
};
