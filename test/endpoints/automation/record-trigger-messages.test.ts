import { GetQueueUrlCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  awsSettings,
  createUser,
  databaseClient,
  http,
  registerOrganization,
  signIn,
  stage,
  type User,
} from "../../platform.ts";
import { addTrigger, recordsOf, triggerLogs } from "./triggers.ts";

const patience = { timeout: 240_000, interval: 200 };

const sqs = new SQSClient(awsSettings);
let mongo: MongoClient;
let owner: User;
let queueUrl: string;

beforeAll(async () => {
  mongo = await databaseClient();
  const name = `tenantry-${stage}-record-trigger`;
  queueUrl = (await sqs.send(new GetQueueUrlCommand({ QueueName: name }))).QueueUrl ?? "";
});
afterAll(() => mongo.close());
beforeEach(async () => {
  owner = await registerOrganization();
});

const outbox = () => mongo.db(owner.organizationId).collection<Document & { _id: string }>("_outbox");

interface Message {
  readonly trigger: string;
  readonly user?: string;
}

let messages = 0;

/** A committed message for a trigger of a new lead, which nobody has sent yet. */
const commit = async ({ trigger, user = owner.id }: Message): Promise<string> => {
  messages += 1;
  const id = `message-${process.pid}-${messages}`;
  const payload = {
    trigger_id: trigger,
    event: "after_create",
    object: "lead",
    new_map: { l1: { id: "l1", name: "a" } },
    old_map: {},
    acting: { user_id: user, client_id: null, scope: "all", responsible: null },
    chain: { depth: 0, path: [] },
  };
  await outbox().insertOne({
    _id: id,
    queue: "record-trigger",
    payload: JSON.stringify(payload),
    created: new Date(),
    status: "sent",
    attempts: 0,
  });
  return id;
};

const deliver = async (id: string): Promise<void> => {
  const MessageBody = JSON.stringify({ organization: owner.organizationId, id });
  await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody, MessageGroupId: owner.organizationId }));
};

const writeTask = "await context.records.create('task', {'name': context.new_map['l1']['name']})";
const add = (body = writeTask) => addTrigger(owner, "later", body, { events: ["after_create"], mode: "async" });
const isDone = (id: string) => expect.poll(() => outbox().findOne({ _id: id }), patience).toBeNull();

describe("a message of an async trigger", () => {
  it("that is delivered several times gives one execution", async () => {
    const id = await commit({ trigger: await add() });
    await Promise.all([deliver(id), deliver(id), deliver(id)]);
    await isDone(id);
    await deliver(id);
    const last = await commit({ trigger: "gone" });
    await deliver(last);
    await isDone(last);
    expect(await recordsOf(owner, "task")).toHaveLength(1);
    expect(await triggerLogs(owner)).toHaveLength(1);
  });

  it("runs the code of that time, and nothing if the trigger is gone or not active", async () => {
    const trigger = await add();
    const first = await commit({ trigger });
    const code = "async def execute(context):\n    await context.records.create('task', {'name': 'changed'})\n";
    const path = `/v1/object/record_trigger/${trigger}`;
    await http.patch(path, { token: owner.token, body: { code }, expect: 200 });
    await deliver(first);
    await isDone(first);
    const second = await commit({ trigger });
    await http.patch(path, { token: owner.token, body: { active: false }, expect: 200 });
    await deliver(second);
    await isDone(second);
    const third = await commit({ trigger });
    await http.delete(path, { token: owner.token, expect: 200 });
    await deliver(third);
    await isDone(third);
    expect((await recordsOf(owner, "task")).map(({ name }) => name)).toEqual(["changed"]);
    expect(await triggerLogs(owner)).toHaveLength(1);
  });

  it("fails for a user who is not active any more", async () => {
    const trigger = await add();
    const { email, password } = await createUser(owner.organizationId);
    const member = await signIn(email, password);
    await http.patch(`/v1/object/user/${member.id}`, { token: owner.token, body: { is_active: false }, expect: 200 });
    const id = await commit({ trigger, user: member.id });
    await deliver(id);
    await expect.poll(async () => (await outbox().findOne({ _id: id }))?.status, patience).toBe("failed");
    expect(await recordsOf(owner, "task")).toEqual([]);
  });

  it("whose code fails is not repeated, and its log record says why", async () => {
    const id = await commit({ trigger: await add(`${writeTask}\nraise ValueError('broken')`) });
    await deliver(id);
    await isDone(id);
    expect(await recordsOf(owner, "task")).toHaveLength(1);
    expect(await triggerLogs(owner)).toMatchObject([{ status: "failed", message: "broken" }]);
  });
});
