import { expect, test } from "vitest";
import { addUser } from "../platform.ts";
import { registerWithEmailVendor, sendgrid, settled } from "../setup/webhooks.ts";
import { signedInMachine } from "./command.ts";

test("tenantry webhook listen shows what arrived and what became of it, to administrators only", async () => {
  const { owner, keys } = await registerWithEmailVendor();
  const since = new Date().toISOString();
  const event = { event: "delivered", sg_event_id: "1", timestamp: 1_790_000_000 };
  expect((await sendgrid(owner, keys, JSON.stringify([event]))).status).toBe(202);
  expect((await sendgrid(owner, keys, "[{")).status).toBe(202);
  await settled(owner, 2);
  const device = await signedInMachine(owner);
  const listen = ["webhook", "listen", "--once", "--since", since];
  const table = await device.run([...listen, "--output", "table"]);
  expect(table.code).toBe(0);
  const [first = "", second = ""] = table.stdout.split("\n");
  expect(first).toMatch(
    / {2}events {2}signed by sendgrid {2}\d+ bytes {2}processed {2}1 events: 0 applied, 1 of no message/,
  );
  expect(second).toMatch(/ {2}2 bytes {2}failed {2}The body is not valid JSON\./);
  const lines = (await device.run(listen)).stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ status }) => status)).toEqual(["processed", "failed"]);
  expect((await device.run(["webhook", "listen", "--since", "soon"])).code).toBe(2);
  const member = await signedInMachine(await addUser(owner.organizationId));
  expect((await member.run(listen)).code).toBe(4);
});
