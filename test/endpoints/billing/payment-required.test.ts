import { beforeAll, describe, expect, it, test } from "vitest";
import type { Contract } from "#contracts/contract";
import { routes } from "#contracts/routes";
import { addUser, http, registerOrganization, signIn, type User } from "../../platform.ts";
import { inRow, node, saveAutomation } from "../../setup/automations.ts";
import { sandboxSteps } from "../../setup/sandboxes.ts";
import { CAPABILITY, nameOf, PUBLIC, WITHOUT_PAYMENT } from "../access-lists.ts";
import { addFunction, run } from "../automation/functions.ts";
import { deliver, scheduledItems } from "../automation/scheduled-items.ts";
import { endWrites } from "./organization-state.ts";

const sandboxes = sandboxSteps(http);

let owner: User;
let unpaid: User;
let leadId: string;

const call = ({ method, path, request }: Contract, token: string) =>
  http.send(
    method,
    path
      .replace("{object}", "lead")
      .replace("{id}", leadId)
      .replace(/\{(\w+)\}/g, "lead"),
    {
      token,
      ...(request.body && method !== "GET" ? { body: {} } : {}),
    },
  );

const guarded = routes.filter((contract) => {
  const name = nameOf(contract);
  return !Object.keys(PUBLIC).includes(name) && !CAPABILITY.includes(name) && contract.access !== "signature";
});
const staysOpen = (contract: Contract): boolean =>
  contract.method === "GET" || WITHOUT_PAYMENT.includes(nameOf(contract));
const named = (contract: Contract): [string, Contract] => [nameOf(contract), contract];

beforeAll(async () => {
  owner = await registerOrganization();
  unpaid = await registerOrganization();
  const body = { name: "Written before" };
  leadId = (await http.post("/v1/object/lead", { token: unpaid.token, body, expect: 201 })).body.id;
  await endWrites(unpaid.organizationId);
});

describe("in an organization whose time for a payment is over", () => {
  it.each(guarded.filter((contract) => !staysOpen(contract)).map(named))("%s is refused", async (_, contract) => {
    // Operators of the platform are refused for their access before.
    const reply = await call(contract, unpaid.token);
    const expected = contract.access === "superuser" ? "403 forbidden" : "402 payment_required";
    expect(`${reply.status} ${reply.body.code}`).toBe(expected);
  });

  it.each(guarded.filter(staysOpen).map(named))("%s stays possible", async (_, contract) => {
    const { token } = contract.path === "/v1/auth/logout" ? await signIn(unpaid.email) : unpaid;
    const reply = await call(contract, token);
    expect(reply.status).not.toBe(402);
    expect(reply.status).toBeLessThan(500);
  });

  it("reads records, signs in and refreshes tokens", async () => {
    const { token, refreshToken } = await signIn(unpaid.email);
    const { body } = await http.get(`/v1/object/lead/${leadId}`, { token, expect: 200 });
    expect(body.name).toBe("Written before");
    await http.post("/v1/oauth2/refresh", { body: { refresh_token: refreshToken }, expect: 200 });
  });

  it("a plain member is refused too, and another organization is not", async () => {
    const body = { name: "x" };
    const options = { token: owner.token, body, expect: 201 };
    await http.post("/v1/object/lead", options);
    const member = await addUser(unpaid.organizationId);
    expect((await http.post("/v1/object/lead", { token: member.token, body })).status).toBe(402);
  });
});

test("an organization may write until the time for its payment is over, and again as soon as it has paid", async () => {
  const { token, organizationId } = await registerOrganization();
  const write = async () => (await http.post("/v1/object/lead", { token, body: { name: "x" } })).status;
  await endWrites(organizationId, new Date(Date.now() + 3_600_000));
  expect(await write()).toBe(201);
  await endWrites(organizationId);
  expect(await write()).toBe(402);
  await endWrites(organizationId, new Date(Date.now() + 3_600_000));
  expect(await write()).toBe(201);
});

test("a function that is running cannot write any more once the time for a payment is over", async () => {
  const user = await registerOrganization();
  // It would go on for longer than a function may.
  const lines = [
    "import asyncio",
    "try:",
    "    for number in range(900):",
    "        await platform.records.create('lead', {'name': str(number)})",
    "        await asyncio.sleep(0.05)",
    "except Exception as error:",
    "    return str(error)",
    "return 'never refused'",
  ];
  const running = run(user, await addFunction(user, lines.join("\n")));
  const count = async () => (await http.get("/v1/object/lead?limit=1", { token: user.token })).body.length;
  await expect.poll(count, { timeout: 120_000 }).toBe(1);
  await endWrites(user.organizationId);
  expect((await running).body).toMatch(/has not paid/);
});

test("a public automation of an organization that has not paid answers 402", async () => {
  const user = await registerOrganization();
  const steps = [node("make", "create_record", { object: "lead", values: { name: "x" } })];
  const id = await saveAutomation(user, inRow(steps), { public: true, run_as: user.id });
  await endWrites(user.organizationId);
  const reply = await http.post(`/v1/public/automation/${user.organizationId}/${id}`, { body: {} });
  expect(`${reply.status} ${reply.body.code}`).toBe("402 payment_required");
});

test("a scheduled item fails with the reason and runs nothing, and a recurring one goes on later", async () => {
  const user = await registerOrganization();
  const items = scheduledItems(user);
  const file_name = await addFunction(user, "await platform.records.create('lead', {'name': 'By schedule'})");
  const q = `SELECT id FROM function WHERE file_name = '${file_name}'`;
  const { records } = (await http.post("/v1/query", { token: user.token, body: { query: q } })).body;
  const item = await items.add({
    function: records[0].id,
    run_date_time: new Date(Date.now() + 3_600_000).toISOString(),
    schedule_expression: "rate(1 hour)",
  });
  await endWrites(user.organizationId);
  expect(await deliver(user, { id: item.id, revision: 1 })).toBe("failed");
  expect((await http.get("/v1/object/lead", { token: user.token })).body).toEqual([]);
  expect(await items.get(item.id)).toMatchObject({ status: "Queued" });
});

test("a sandbox is refused its writes while its parent has not paid", async () => {
  const user = await registerOrganization();
  const { id } = await sandboxes.create(user.token, "unpaid");
  const token = await sandboxes.enter(user.token, id);
  const write = async () => (await http.post("/v1/object/lead", { token, body: { name: "x" } })).status;
  expect(await write()).toBe(201);
  await endWrites(user.organizationId);
  expect(await write()).toBe(402);
  await http.get("/v1/object/lead", { token, expect: 200 });
});
