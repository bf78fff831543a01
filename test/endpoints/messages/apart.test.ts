import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addUser, http, invokeOperation, registerOrganization, type User } from "../../platform.ts";
import { messagesAreHandled } from "../../setup/outbox.ts";
import { type SendGrid, startSendGrid } from "../../vendors/sendgrid.ts";
import {
  connectSendGrid,
  messageOf,
  passTime,
  send,
  settled,
  statusesOf,
  storedMessage,
  withDatabase,
} from "./messages.ts";

let owner: User;
let vendor: SendGrid;
beforeEach(async () => {
  vendor = await startSendGrid();
  owner = await registerOrganization();
  await connectSendGrid(owner, vendor);
});
afterEach(() => vendor.stop());

const circuitOf = ({ organizationId }: User) =>
  withDatabase(organizationId, ({ collection }) => collection("_vendor_circuit").findOne({}));

/** Lets nothing be due of itself, neither messages nor the circuit, until `passTime`. */
const holdTime = ({ organizationId }: User) =>
  withDatabase(organizationId, async ({ collection }) => {
    const later = new Date(Date.now() + 3_600_000);
    await collection("_vendor_circuit").updateMany({ open_until: { $exists: true } }, { $set: { open_until: later } });
    const waiting = { status: "queued", "_delivery.next_attempt_at": { $exists: true } };
    await collection("email_message").updateMany(waiting, { $set: { "_delivery.next_attempt_at": later } });
  });

const waiting = ({ organizationId }: User) =>
  withDatabase(organizationId, ({ collection }) =>
    collection("email_message").countDocuments({ "_delivery.next_attempt_at": { $exists: true }, status: "queued" }),
  );

describe("a vendor that is down", () => {
  it("is not called any more after five failures, delays nobody else, and gets everything once when it is up", async () => {
    vendor.behave(() => ({ status: 503, message: "down" }));
    const ids: string[] = [];
    for (let number = 1; number <= 5; number += 1) {
      ids.push((await send(owner)).id);
      await messagesAreHandled(owner);
      await holdTime(owner);
      expect(vendor.calls).toHaveLength(number);
    }
    expect(await circuitOf(owner)).toMatchObject({ failures: 5, open_until: expect.any(Date) });
    ids.push((await send(owner)).id, (await send(owner)).id);
    await messagesAreHandled(owner);
    expect(await waiting(owner)).toBe(7);
    expect(vendor.calls).toHaveLength(5);
    const last = await storedMessage(owner.organizationId, ids.at(-1) ?? "");
    expect(last?._delivery.attempts).toBe(0);

    const other = await registerOrganization();
    const otherVendor = await startSendGrid();
    await connectSendGrid(other, otherVendor);
    const { id } = await send(other);
    expect((await settled(other, id)).status).toBe("sent");
    await otherVendor.stop();

    vendor.behave(() => "accept");
    await passTime(owner.organizationId);
    const sent = async () => {
      await passTime(owner.organizationId);
      return vendor.accepted.length;
    };
    await expect.poll(sent, { timeout: 120_000, interval: 1_000 }).toBe(7);
    await messagesAreHandled(owner);
    expect(vendor.accepted.map((mail) => mail.id).toSorted()).toEqual(ids.toSorted());
    expect(await circuitOf(owner)).toBeNull();
  });

  it("is called again at once when the credential was changed", async () => {
    vendor.behave(() => ({ status: 401, message: "revoked" }));
    for (let number = 1; number <= 5; number += 1) {
      await send(owner);
      await messagesAreHandled(owner);
      await holdTime(owner);
      expect(vendor.calls).toHaveLength(number);
    }
    expect(await circuitOf(owner)).toMatchObject({ open_until: expect.any(Date) });
    vendor.behave(() => "accept");
    await http.post("/v1/object/auth_credential", {
      token: owner.token,
      body: {
        name: "new",
        kind: "emailvendor",
        provider: "sendgrid",
        value: { api_key: vendor.apiKey },
        base_url: vendor.origin,
      },
      expect: 201,
    });
    const { id } = await send(owner);
    expect((await settled(owner, id)).status).toBe("sent");
  });
});

describe("a message with a time", () => {
  /** A message as it is accepted with `send_at`. */
  const plant = async (next_attempt_at: Date): Promise<string> => {
    const { id } = await send(owner);
    await settled(owner, id);
    const state = {
      status: "scheduled",
      _delivery: { attempts: 0, revision: 1, next_attempt_at },
      send_at: new Date(),
    };
    await withDatabase(owner.organizationId, ({ collection }) =>
      collection("email_message").updateOne({ _id: id }, { $set: state }),
    );
    return id;
  };

  const fire = (id: string): Promise<{ outcome: string }> =>
    invokeOperation("run-scheduled", {
      organization: owner.organizationId,
      kind: "message",
      id: `email_message/${id}`,
      revision: "1",
      scheduled_time: new Date().toISOString(),
    });

  it("is sent when its schedule fires, and once if it fires three times", async () => {
    const id = await plant(new Date(Date.now() + 3_600_000));
    const outcomes = await Promise.all([fire(id), fire(id), fire(id)]);
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(["completed", "dropped", "dropped"]);
    await settled(owner, id, ["sent"]);
    await messagesAreHandled(owner);
    expect(vendor.acceptedTimes(id)).toBe(2);
  });

  it("is sent although its schedule was lost", async () => {
    const id = await plant(new Date(Date.now() - 1_000));
    await invokeOperation("sweep-messages", {});
    await settled(owner, id, ["sent"]);
    expect(statusesOf(await messageOf(owner, id)).slice(-3)).toEqual(["queued", "sending", "sent"]);
    expect((await fire(id)).outcome).toBe("dropped");
  });
});

it("a message of another organization, or with another object, is neither sent nor found", async () => {
  const { id } = await send(owner);
  await settled(owner, id);
  const stranger = await registerOrganization();
  await http.get(`/v1/object/email_message/${id}`, { token: stranger.token, expect: 404 });
  const input = { organization: stranger.organizationId, kind: "message", revision: "1" };
  const scheduled_time = new Date().toISOString();
  for (const foreign of [`email_message/${id}`, `user/${stranger.id}`, "email_message", `../${id}`]) {
    expect(await invokeOperation("run-scheduled", { ...input, id: foreign, scheduled_time })).toEqual({
      outcome: "dropped",
    });
  }
  expect(vendor.acceptedTimes(id)).toBe(1);
});

it("the state of a delivery cannot be read, queried or written by anybody", async () => {
  const { id } = await send(owner);
  await settled(owner, id);
  const member = await addUser(owner.organizationId);
  for (const { token } of [owner, member]) {
    const { text } = await http.get(`/v1/object/email_message/${id}`, { token });
    expect(text).not.toContain("_delivery");
    expect((await http.get("/v1/query", { token, query: { q: "SELECT _delivery FROM email_message" } })).status).toBe(
      422,
    );
    const patch = await http.patch(`/v1/object/email_message/${id}`, { token, body: { status: "queued" } });
    expect(patch.status).toBe(403);
  }
});
