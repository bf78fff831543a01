import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";
import { upload } from "../../setup/documents.ts";
import { type SendGrid, startSendGrid } from "../../vendors/sendgrid.ts";
import { type App, letIn, registerApp } from "../identity/apps.ts";
import { connectSendGrid, fireSchedule, messageOf, settled, withDatabase } from "./messages.ts";

let vendor: SendGrid;
let owner: User;

beforeAll(async () => {
  [vendor, owner] = await Promise.all([startSendGrid(), registerOrganization()]);
  await connectSendGrid(owner, vendor);
});
afterAll(() => vendor.stop());

const EMAIL = "/v1/email-services/emailvendor";
const newSender = (): Promise<User> => addUser(owner.organizationId);

const schedule = async ({ token }: User, request: object = {}): Promise<string> => {
  const send_at = new Date(Date.now() + 3_600_000).toISOString();
  const mail = { to_emails: ["ada@example.com"], subject: "Hello", plain_text_content: "Hi", from_email: owner.email };
  const { body } = await http.post(`${EMAIL}/send`, { token, body: { ...mail, send_at, ...request }, expect: 200 });
  expect(body.status).toBe("scheduled");
  return body.id;
};

/** Lets the schedule of a message fire, and gives the message when it has ended. */
const fire = async (id: string) => {
  await fireSchedule(owner, id);
  return settled(owner, id);
};

const deactivate = ({ id }: User) =>
  http.patch(`/v1/object/user/${id}`, { token: owner.token, body: { is_active: false }, expect: 200 });

describe("a scheduled email", () => {
  it("of an active user is sent when its time has come", async () => {
    const id = await schedule(await newSender());
    expect((await fire(id)).status).toBe("sent");
    expect(vendor.acceptedTimes(id)).toBe(1);
  });

  it("of a user who was deactivated is not sent, until an administrator sends it", async () => {
    const sender = await newSender();
    const id = await schedule(sender);
    await deactivate(sender);
    const message = await fire(id);
    expect(message).toMatchObject({ status: "failed", error: expect.stringContaining("not active") });
    expect(vendor.acceptedTimes(id)).toBe(0);
    await http.post(`${EMAIL}/messages/${id}/resend`, { token: owner.token, expect: 200 });
    await expect.poll(async () => (await messageOf(owner, id)).status).toBe("sent");
    expect(vendor.acceptedTimes(id)).toBe(1);
  });

  it("is not sent with a file that its sender may not read any more", async () => {
    const uploaded = await upload(owner.token);
    const readers = { name: "Readers of documents", object_permissions: { document: { read: true } } };
    await http.post("/v1/object/permission", { token: owner.token, body: readers, expect: 201 });
    const sender = await addUser(owner.organizationId, { permissions: [readers.name] });
    const request = { file_attachments: [uploaded.body.id] };
    const [allowed, refused] = [await schedule(sender, request), await schedule(sender, request)];
    expect((await fire(allowed)).status).toBe("sent");
    await http.patch(`/v1/object/user/${sender.id}`, { token: owner.token, body: { permissions: [] }, expect: 200 });
    expect((await fire(refused)).status).toBe("failed");
    expect(vendor.acceptedTimes(refused)).toBe(0);
  });
});

describe("a scheduled email of an app", () => {
  const install = async (scopes: readonly string[] = ["read", "write"]): Promise<App & { readonly user: User }> => {
    const app = await registerApp(owner.token, { scopes });
    const { access_token } = await letIn(owner.token, app);
    return { ...app, user: { ...owner, token: access_token } };
  };
  const remove = ({ client_id }: App) =>
    http.delete(`/v1/auth/client/${client_id}`, { token: owner.token, expect: 204 });

  it("is sent as long as the app is registered", async () => {
    const { user } = await install();
    const id = await schedule(user);
    expect((await fire(id)).status).toBe("sent");
    expect(vendor.acceptedTimes(id)).toBe(1);
  });

  it("is not sent after the app was deleted, until an administrator sends it", async () => {
    const app = await install();
    const id = await schedule(app.user);
    await remove(app);
    const reason = "The app in whose name this runs is not registered any more.";
    const message = await fire(id);
    expect(message).toMatchObject({ status: "failed", error: reason });
    expect(message.events.at(-1)).toMatchObject({ type: "failed", detail: reason });
    expect(vendor.acceptedTimes(id)).toBe(0);
    await http.post(`${EMAIL}/messages/${id}/resend`, { token: owner.token, expect: 200 });
    await expect.poll(async () => (await messageOf(owner, id)).status).toBe("sent");
  });

  it("has no documents if the app may only write", async () => {
    const uploaded = await upload(owner.token);
    const { user } = await install(["write"]);
    const body = {
      to_emails: ["ada@example.com"],
      subject: "Hello",
      plain_text_content: "Hi",
      from_email: owner.email,
    };
    const request = { ...body, file_attachments: [uploaded.body.id] };
    const reply = await http.post(`${EMAIL}/send`, { token: user.token, body: request, expect: 403 });
    expect(reply.body.code).toBe("insufficient_scope");
  });

  it("is not sent with a document if its stored scope does not let the app read", async () => {
    const uploaded = await upload(owner.token);
    const { user } = await install();
    const request = { file_attachments: [uploaded.body.id] };
    const [wide, narrow] = [await schedule(user, request), await schedule(user, request)];
    await withDatabase(owner.organizationId, ({ collection }) =>
      collection("email_message").updateOne({ _id: narrow }, { $set: { "_actor.scope": "write" } }),
    );
    expect((await fire(wide)).status).toBe("sent");
    expect(await fire(narrow)).toMatchObject({ status: "failed", error: expect.stringContaining("scope read") });
    expect(vendor.acceptedTimes(narrow)).toBe(0);
  });

  it("shows nobody in whose name it was scheduled", async () => {
    const { user, client_id } = await install();
    const id = await schedule(user);
    expect(await messageOf(owner, id)).not.toHaveProperty("_actor");
    const query = `SELECT _actor FROM email_message WHERE id = '${id}'`;
    expect((await http.post("/v1/query", { token: owner.token, body: { query } })).status).toBe(422);
    const body = { collection: "email_message", pipeline: [{ $project: { shown: "$_actor.client_id" } }] };
    const reply = await http.post("/v1/query/docdb", { token: owner.token, body });
    expect(JSON.stringify(reply.body)).not.toContain(client_id);
  });

  it("from before its actor was stored is sent if the user who scheduled it is active", async () => {
    const sender = await newSender();
    const id = await schedule(sender);
    await withDatabase(owner.organizationId, ({ collection }) =>
      collection("email_message").updateOne({ _id: id }, { $unset: { _actor: "" } }),
    );
    expect((await fire(id)).status).toBe("sent");
  });
});
