import { createHash, randomBytes } from "node:crypto";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { EJSON } from "bson";
import { type Db, type Document, MongoClient } from "mongodb";
import { type HttpClient, httpClient } from "../../../setup/http-client.ts";
import type { LaunchedPlatform } from "../../../setup/launch-platform.ts";

const PASSWORD = "correct horse battery staple";

/** An organization with hidden values, and another one that must not be reached. */
export interface World {
  readonly http: HttpClient;
  readonly ownerToken: string;
  /**
   * May read leads, companies, tasks and users, but not the email of leads and the industry of companies. So the names
   * of contacts (of tasks) and of roles and permissions (of users) are hidden too. The phones of leads and companies
   * are sensitive, and so masked.
   */
  readonly memberToken: string;
  readonly foreign: string;
  /** Part of all values that nobody may see. */
  readonly secretMarker: string;
  /** Part of all values that the owner may see and the member may not. */
  readonly hiddenMarker: string;
  /** Changes the values that nobody may see. */
  changeSecrets(round: number): Promise<void>;
  /** Changes the values that the member may not see. */
  changeHidden(round: number): Promise<void>;
  /** A digest of everything stored in both organizations, and all collections of this name. */
  digest(target: string): Promise<string>;
  close(): Promise<void>;
}

const register = async (http: HttpClient): Promise<{ token: string; organization: string }> => {
  const email = `fuzz-${randomBytes(6).toString("hex")}@example.test`;
  const names = { organization_name: email, first_name: "Olga", last_name: "Owner" };
  const { body } = await http.post("/v1/register", { body: { ...names, email, password: PASSWORD }, expect: 201 });
  return { token: body.access_token, organization: body.organization_id };
};

const addMember = async (access: LaunchedPlatform["access"], http: HttpClient, payload: object): Promise<string> => {
  const { awsEndpoint: endpoint, region, credentials } = access;
  const email = `fuzz-${randomBytes(6).toString("hex")}@example.test`;
  const user = { email, name: "Mia Member", password: PASSWORD, ...payload };
  await new LambdaClient({ endpoint, region, credentials }).send(
    new InvokeCommand({
      FunctionName: `tenantry-${access.stage}-create-user`,
      Payload: Buffer.from(JSON.stringify(user)),
    }),
  );
  const form = { username: email, password: PASSWORD };
  return (await http.post("/v1/oauth2/login", { form, expect: 200 })).body.access_token;
};

/** Text, null, a list, a document: values that a query could tell apart. */
const secretValue = (marker: string, round: number): unknown =>
  [`${marker}-${round}`, null, [`${marker}-${round}`, 7], { value: `zz-${marker}`, n: round }][round % 4];

const digestOf = async (db: Db): Promise<string> => {
  const hash = createHash("sha256");
  const names = (await db.listCollections().toArray()).map(({ name }) => name).sort();
  for (const name of names) {
    hash.update(name);
    for await (const document of db.collection(name).find().sort({ _id: 1 })) hash.update(EJSON.stringify(document));
  }
  return hash.digest("hex");
};

export const createWorld = async (access: LaunchedPlatform["access"]): Promise<World> => {
  const http = httpClient(access.url);
  const mongo = await new MongoClient(access.mongoUri).connect();
  const [own, neighbour] = [await register(http), await register(http)];
  const [secretMarker, hiddenMarker] = [
    `SECRET${randomBytes(8).toString("hex")}`,
    `HIDDEN${randomBytes(8).toString("hex")}`,
  ];
  for (const object_id of ["lead", "company"]) {
    const field = { object_id, api_name: "phone", sensitive: true };
    await http.patch("/v1/schema/field", { token: own.token, body: field, expect: 200 });
  }
  const create = async (token: string, object: string, body: object) =>
    (await http.post(`/v1/object/${object}`, { token, body, expect: 201 })).body;
  const companies = await create(
    own.token,
    "company",
    ["Acme", "Globex"].map((name) => ({ name, industry: hiddenMarker })),
  );
  await create(
    own.token,
    "lead",
    Array.from({ length: 12 }, (_, index) => ({
      name: `${["Ada", "Bob", "Cyd"][index % 3]} ${index}`,
      status: index % 2 === 0 ? "New" : "Working",
      amount: index * 10,
      email: `${hiddenMarker}@example.test`,
      company: companies[index % 2].id,
    })),
  );
  const contact = await create(own.token, "contact", { name: hiddenMarker });
  await create(own.token, "invoice", { name: hiddenMarker });
  const targets = [
    { id: contact.id, schema: "contact" },
    { id: companies[0].id, schema: "company" },
  ];
  await create(
    own.token,
    "task",
    Array.from({ length: 6 }, (_, index) => ({ name: `Call ${index}`, related_to: targets[index % 2] })),
  );
  await create(neighbour.token, "lead", { name: secretMarker });
  const permission = await create(own.token, "permission", {
    name: "Narrow",
    object_permissions: { lead: { read: true }, company: { read: true }, task: { read: true }, user: { read: true } },
    object_field_permissions: { lead: { email: { read: false } }, company: { industry: { read: false } } },
  });
  const memberToken = await addMember(access, http, {
    organization_id: own.organization,
    permissions: [permission.id],
  });
  const db = mongo.db(own.organization);
  await db.collection<Document & { _id: string }>("auth_credential").insertOne({ _id: "c1", id: "c1", name: "Mail" });
  const set = (name: string, fields: Document) => db.collection(name).updateMany({}, { $set: fields });
  return {
    http,
    ownerToken: own.token,
    memberToken,
    foreign: neighbour.organization,
    secretMarker,
    hiddenMarker,
    async changeSecrets(round) {
      const value = secretValue(secretMarker, round);
      await set("user", {
        password_hash: value,
        totp_secret: value,
        notification_tokens: value,
        never_declared: value,
      });
      await set("auth_credential", { value });
      await set("organization", { billing: { plan: value } });
      for (const name of ["lead", "company"]) await set(name, { never_declared: value });
    },
    async changeHidden(round) {
      const value = secretValue(hiddenMarker, round);
      await set("lead", { email: value });
      await set("company", { industry: value });
      for (const name of ["lead", "company"]) await set(name, { phone: value });
      await set("invoice", { name: value, amount: round });
      await set("user", { "permissions.$[].name": value });
      // A role of the member would decide which records the member sees.
      const role = { id: "r1", schema: "role", name: value };
      await db.collection("user").updateMany({ is_account_owner: true }, { $set: { role } });
      await db
        .collection("task")
        .updateMany({ "related_to.schema": "contact" }, { $set: { "related_to.name": value } });
    },
    async digest(target) {
      const made: string[] = [];
      for (const { name } of (await mongo.db().admin().listDatabases()).databases) {
        const found = await mongo.db(name).listCollections({ name: target }).toArray();
        made.push(...found.map((collection) => `${name}.${collection.name}`));
      }
      return JSON.stringify([await digestOf(db), await digestOf(mongo.db(neighbour.organization)), made]);
    },
    close: () => mongo.close(),
  };
};
