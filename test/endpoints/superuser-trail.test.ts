import { beforeAll, describe, expect, it } from "vitest";
import type { Contract } from "#contracts/contract";
import { routes } from "#contracts/routes";
import { addUser, http, registerOrganization, signIn, type User } from "../platform.ts";
import { CAPABILITY, nameOf, PUBLIC } from "./access-lists.ts";

const guarded = routes.filter((contract) => !(nameOf(contract) in PUBLIC) && !CAPABILITY.includes(nameOf(contract)));
const named = (contract: Contract): [string, Contract] => [nameOf(contract), contract];

let owner: User;
let operator: User;
beforeAll(async () => {
  owner = await registerOrganization();
  operator = await addUser(owner.organizationId, { isSuperuser: true, isAccountAdmin: true });
});

const requests = async () => {
  const q = "SELECT details, `by` FROM audit_entry WHERE action = 'superuser_request' ORDER BY id LIMIT 1000";
  return (await http.get("/v1/query", { token: owner.token, query: { q }, expect: 200 })).body.records;
};

// The tests of a route come one after the other: its function stays warm, and is not started for each of them.
describe.each(guarded.map(named))("%s", (_, contract) => {
  it("of a superuser leaves one entry in the audit trail, for any result", async () => {
    const before = (await requests()).length;
    // Logging out ends the session, so it gets a session of its own.
    const { token } = contract.operation === "logout" ? await signIn(operator.email) : operator;
    const body = contract.request.body && contract.method !== "GET" ? { body: {} } : {};
    const path = contract.path.replace(/\{(\w+)\}/g, "lead");
    const { status } = await http.send(contract.method, path, { token, ...body });
    const entries = (await requests()).slice(before);
    expect(entries).toHaveLength(1);
    expect(entries[0].by.id).toBe(operator.id);
    expect(entries[0].details).toMatchObject({ method: contract.method, route: contract.path, status });
  });

  it("of another caller leaves none", async () => {
    const before = (await requests()).length;
    const { token } = contract.operation === "logout" ? await signIn(owner.email) : owner;
    const body = contract.request.body && contract.method !== "GET" ? { body: {} } : {};
    await http.send(contract.method, contract.path.replace(/\{(\w+)\}/g, "lead"), { token, ...body });
    expect(await requests()).toHaveLength(before);
  });
});
