import { GetQueueUrlCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { beforeAll, describe, expect, it } from "vitest";
import { addUser, awsSettings, http, invokeOperation, registerOrganization, stage, type User } from "../../platform.ts";
import { expr, inRow, node, run, saveAutomation } from "../../setup/automations.ts";
import { type App, letIn, registerApp } from "../identity/apps.ts";
import { withDatabase } from "../messages/messages.ts";
import { deliver, functionRecord, scheduledItems } from "./scheduled-items.ts";
import { addTrigger, recordsOf } from "./triggers.ts";

const patience = { timeout: 240_000, interval: 200 };
const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

const APP_GONE = "The app in whose name this runs is not registered any more.";

let owner: User;
let items: ReturnType<typeof scheduledItems>;

beforeAll(async () => {
  owner = await registerOrganization();
  items = scheduledItems(owner);
});

interface Installed extends App {
  /** The app in the name of the owner. */
  readonly user: User;
}

const install = async (scopes: readonly string[] = ["read", "write"]): Promise<Installed> => {
  const app = await registerApp(owner.token, { scopes });
  const { access_token } = await letIn(owner.token, app);
  return { ...app, user: { ...owner, token: access_token } };
};

const remove = ({ client_id }: App) => http.delete(`/v1/auth/client/${client_id}`, { token: owner.token, expect: 204 });

const made = (name: string) => node("made", "create_record", { object: "lead", values: { name } });
const makes = (name: string) => saveAutomation(owner, inRow([made(name)], "done"));

const leadsNamed = async (name: string): Promise<number> =>
  (await recordsOf(owner, "lead")).filter((lead) => lead.name === name).length;

describe("a scheduled item of an app", () => {
  it("runs as long as the app is registered", async () => {
    const { user } = await install();
    const automation = { id: await makes("App lives") };
    const { id, revision } = await scheduledItems(user).add({ automation, run_date_time: inHours(5) });
    expect(await deliver(owner, { id, revision })).toBe("completed");
    expect(await leadsNamed("App lives")).toBe(1);
  });

  it("fails with the reason after the app was deleted, until a person queues it again", async () => {
    const app = await install();
    const automation = { id: await makes("App deleted") };
    const { id, revision } = await scheduledItems(app.user).add({ automation, run_date_time: inHours(5) });
    await remove(app);
    expect(await deliver(owner, { id, revision })).toBe("failed");
    const item = await items.get(id);
    expect(item).toMatchObject({ status: "Failed", status_history: [{}, {}, { status: "Failed", reason: APP_GONE }] });
    expect(await leadsNamed("App deleted")).toBe(0);
    const queued = await items.change(id, { status: "Queued" });
    expect(await deliver(owner, { id, revision: queued.revision })).toBe("completed");
    expect(await leadsNamed("App deleted")).toBe(1);
  });

  it("runs if the app is the platform's own command line", async () => {
    const cli = { client_id: "tenantry-cli", client_secret: "", redirect_uri: "http://127.0.0.1/callback" };
    const { access_token: token } = await letIn(owner.token, cli);
    const automation = { id: await makes("By the command line") };
    const { id, revision } = await scheduledItems({ ...owner, token }).add({ automation, run_date_time: inHours(5) });
    expect(await deliver(owner, { id, revision })).toBe("completed");
  });

  it("fails if the app is registered in another organization only", async () => {
    const { user } = await install();
    const automation = { id: await makes("Strange app") };
    const { id, revision } = await scheduledItems(user).add({ automation, run_date_time: inHours(5) });
    const { client_id } = await registerApp((await registerOrganization()).token);
    await withDatabase(owner.organizationId, ({ collection }) =>
      collection("scheduled_item").updateOne({ _id: id }, { $set: { "_actor.client_id": client_id } }),
    );
    expect(await deliver(owner, { id, revision })).toBe("failed");
    expect((await items.get(id)).status_history.at(-1).reason).toBe(APP_GONE);
  });

  it("that recurs fails once after the app was deleted, and has no schedule any more", async () => {
    const app = await install();
    const fields = { schedule_expression: "rate(1 hour)", run_date_time: inHours(1) };
    const called = await functionRecord(owner, "return 1");
    const { id, revision } = await scheduledItems(app.user).add({ function: called, ...fields });
    await expect.poll(() => items.schedule(id), patience).toBeDefined();
    await remove(app);
    expect(await deliver(owner, { id, revision })).toBe("failed");
    expect(await items.get(id)).toMatchObject({
      status: "Failed",
      status_history: [{}, {}, { status: "Failed", reason: APP_GONE }],
    });
    await expect.poll(() => items.schedule(id), patience).toBeUndefined();
    expect(await deliver(owner, { id, revision, at: new Date(Date.now() + 7_200_000) })).toBe("dropped");
  });

  it("does only what the scope of the app allows", async () => {
    const { user } = await install(["write"]);
    const read = node("found", "query", { sql: "SELECT id FROM lead" });
    const automation = { id: await saveAutomation(owner, inRow([read])) };
    const { id, revision } = await scheduledItems(user).add({ automation, run_date_time: inHours(5) });
    expect(await deliver(owner, { id, revision })).toBe("failed");
    const { status_history } = await items.get(id);
    expect(status_history.at(-1).reason).toContain("The scope of this token does not allow it.");
  });

  it("with the scope read writes nothing", async () => {
    const { user } = await install();
    const automation = { id: await makes("Read only") };
    const { id, revision } = await scheduledItems(user).add({ automation, run_date_time: inHours(5) });
    // No app with this scope can create an item.
    await withDatabase(owner.organizationId, ({ collection }) =>
      collection("scheduled_item").updateOne({ _id: id }, { $set: { "_actor.scope": "read" } }),
    );
    expect(await deliver(owner, { id, revision })).toBe("failed");
    expect((await items.get(id)).status_history.at(-1).reason).toContain("does not allow it");
    expect(await leadsNamed("Read only")).toBe(0);
  });

  it("neither shows nor lets anybody set in whose name it runs", async () => {
    const { user } = await install();
    const called = await functionRecord(owner, "return 1");
    const item = await scheduledItems(user).add({ function: called, run_date_time: inHours(5) });
    expect(await items.get(item.id)).not.toHaveProperty("_actor");
    const body = { _actor: { user_id: owner.id, client_id: null, scope: "all", responsible: null } };
    await http.patch(`/v1/object/scheduled_item/${item.id}`, { token: user.token, body, expect: 422 });
    const query = `SELECT _actor FROM scheduled_item WHERE id = '${item.id}'`;
    expect((await http.post("/v1/query", { token: owner.token, body: { query } })).status).toBe(422);
  });
});

describe("an automation in a delay that an app has started", () => {
  const resume = (id: string | null) =>
    invokeOperation<{ outcome: string }>("run-scheduled", {
      organization: owner.organizationId,
      kind: "automation",
      id,
      revision: "1",
      scheduled_time: new Date().toISOString(),
    });

  const begin = async ({ user }: Installed, name: string): Promise<string | null> => {
    const nodes = [node("wait", "delay", { seconds: 3_600 }), made(name)];
    const automation = await saveAutomation(owner, inRow(nodes, expr("nodes.made.name")));
    return (await run(user, automation, {}, { expect: 202 })).headers.get("x-execution-id");
  };

  const execution = async (id: string | null) =>
    (await http.get(`/v1/automation/executions/${id}`, { token: owner.token, expect: 200 })).body;

  it("goes on as long as the app is registered", async () => {
    const id = await begin(await install(), "Delayed");
    expect((await resume(id)).outcome).toBe("completed");
    expect(await execution(id)).toMatchObject({ status: "completed", output: "Delayed" });
  });

  it("fails at its node after the app was deleted", async () => {
    const app = await install();
    const id = await begin(app, "Never made");
    await remove(app);
    expect((await resume(id)).outcome).toBe("failed");
    const error = { type: "forbidden", message: APP_GONE, node: "made" };
    expect(await execution(id)).toMatchObject({ status: "failed", error });
    expect(await leadsNamed("Never made")).toBe(0);
  });
});

describe("a queued message of a record that an app has written", () => {
  const sqs = new SQSClient(awsSettings);

  /** A committed message about a new lead, which is then delivered. Gives its id. */
  const send = async (queue: string, { client_id }: App, what: object): Promise<string> => {
    const id = `later-${queue}`;
    const acting = { user_id: owner.id, client_id, scope: "write", responsible: null };
    const records = { event: "after_create", object: "lead", new_map: { l1: { id: "l1", name: "a" } }, old_map: {} };
    const payload = JSON.stringify({ ...what, ...records, acting, chain: { depth: 0, path: [] } });
    await withDatabase(owner.organizationId, ({ collection }) =>
      collection("_outbox").insertOne({ _id: id, queue, payload, created: new Date(), status: "sent", attempts: 0 }),
    );
    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: `tenantry-${stage}-${queue}` }));
    const MessageBody = JSON.stringify({ organization: owner.organizationId, id });
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: owner.organizationId }));
    return id;
  };

  const failed = (id: string) =>
    expect
      .poll(
        () => withDatabase(owner.organizationId, ({ collection }) => collection("_outbox").findOne({ _id: id })),
        patience,
      )
      .toMatchObject({ status: "failed" });

  const logsOf = async (id: string) =>
    (await recordsOf(owner, "log")).filter(({ related_to }) => (related_to as { id: string } | null)?.id === id);

  const refused = { status: "failed", place: "trigger", message: APP_GONE, created_by: { name: expect.any(String) } };

  it("runs no async trigger after the app was deleted, and its log record says why", async () => {
    const app = await install();
    const body = "await context.records.create('task', {'name': 'started'})";
    const trigger = await addTrigger(owner, "deferred", body, { events: ["after_create"], mode: "async" });
    await remove(app);
    await failed(await send("record-trigger", app, { trigger_id: trigger }));
    expect(await logsOf(trigger)).toMatchObject([{ kind: "trigger", ...refused }]);
    expect(await recordsOf(owner, "task")).toEqual([]);
    await http.delete(`/v1/object/record_trigger/${trigger}`, { token: owner.token, expect: 200 });
  });

  it("runs no automation after the app was deleted, and its log record says why", async () => {
    const app = await install();
    const automation = await makes("Started by a record");
    await remove(app);
    await failed(await send("automation", app, { automation_id: automation }));
    expect(await logsOf(automation)).toMatchObject([{ kind: "automation", ...refused }]);
    expect(await leadsNamed("Started by a record")).toBe(0);
  });
});

describe("later work of a user", () => {
  it("who was deactivated fails with the reason", async () => {
    const admin = await addUser(owner.organizationId, { isAccountAdmin: true });
    const automation = { id: await makes("Deactivated") };
    const { id, revision } = await scheduledItems(admin).add({ automation, run_date_time: inHours(5) });
    await http.patch(`/v1/object/user/${admin.id}`, { token: owner.token, body: { is_active: false }, expect: 200 });
    expect(await deliver(owner, { id, revision })).toBe("failed");
    expect((await items.get(id)).status_history.at(-1).reason).toBe("The user in whose name this runs is not active.");
    expect(await leadsNamed("Deactivated")).toBe(0);
  });
});
