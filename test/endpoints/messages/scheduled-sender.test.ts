import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";
import { upload } from "../../setup/documents.ts";
import { type SendGrid, startSendGrid } from "../../vendors/sendgrid.ts";
import { connectSendGrid, fireSchedule, messageOf, settled } from "./messages.ts";

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
