import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";
import { executionOf, expr, inRow, node, run, saveAutomation } from "../../setup/automations.ts";
import { addFunction, leadsNamed, runBody, UNTIL_REFUSED } from "./functions.ts";

let owner: User;
let member: User;

beforeAll(async () => {
  owner = await registerOrganization();
  member = await addUser(owner.organizationId);
});

describe("a node of type function", () => {
  it("gives what the function returned for its inputs", async () => {
    const name = await addFunction(owner, 'return {"double": kwargs["n"] * 2, "by": platform.user["id"]}');
    const nodes = [node("double", "function", { function_name: name, inputs: { n: expr("inputs.n") } })];
    const id = await saveAutomation(owner, inRow(nodes, expr("nodes.double")));
    const reply = await run(owner, id, { n: 21 });
    expect(reply.body).toEqual({ double: 42, by: owner.id });
    const { lines } = await executionOf(owner, reply);
    expect(lines[1]).toMatchObject({ node: "double", inputs: { inputs: { n: 21 } }, output: { double: 42 } });
  });

  it("fails with the exception of the function", async () => {
    const name = await addFunction(owner, 'raise ValueError("too small")');
    const id = await saveAutomation(owner, inRow([node("check", "function", { function_name: name })]));
    const { body } = await run(owner, id);
    expect(body).toEqual({ status: "error", error_type: "ValueError", message: '"check": too small' });
  });

  it("fails when the function is deactivated after the automation was saved", async () => {
    const name = await addFunction(owner, "return 1");
    const id = await saveAutomation(owner, inRow([node("call", "function", { function_name: name })]));
    const options = { token: owner.token, expect: 200 };
    const found = await http.post("/v1/query", {
      ...options,
      body: { query: `SELECT id FROM function WHERE file_name = '${name}'` },
    });
    await http.patch(`/v1/object/function/${found.body.records[0].id}`, { ...options, body: { active: false } });
    expect((await run(owner, id)).body).toMatchObject({ error_type: "function_not_found" });
  });

  it("is refused at the depth limit, with the names of the chain", async () => {
    const name = await addFunction(
      owner,
      'return await platform.workflows.run_workflow(kwargs["id"], {"id": kwargs["id"]})',
    );
    const nodes = [node("again", "function", { function_name: name, inputs: { id: expr("inputs.id") } })];
    const id = await saveAutomation(owner, inRow(nodes, expr("nodes.again")), { name: "Circle" });
    const { body } = await run(owner, id, { id });
    expect(JSON.stringify(body)).toContain(`Circle → ${name} → Circle → ${name} → Circle → ${name}`);
  });
});

describe("platform.workflows.run_workflow", () => {
  it("gives what the automation returned, in the name of the executing user", async () => {
    const id = await saveAutomation(owner, inRow([], { sum: expr("inputs.a + 1"), by: expr("user.id") }));
    const body = `return await platform.workflows.run_workflow("${id}", {"a": 2})`;
    expect(await runBody(owner, body)).toEqual({ sum: 3, by: owner.id });
  });

  it("refuses an automation of another organization", async () => {
    const other = await registerOrganization();
    const id = await saveAutomation(other, inRow([]));
    const body = `try:\n    return await platform.workflows.run_workflow("${id}", {})\nexcept PlatformError as error:\n    return error.code`;
    expect(await runBody(owner, body)).toBe("automation_not_found");
  });
});

describe("POST /v1/automation/executions/{id}/replay of an automation", () => {
  it("runs it again with the same inputs", async () => {
    const id = await saveAutomation(owner, inRow([], expr("inputs.n + 1")));
    const first = await run(owner, id, { n: 1 });
    const path = `/v1/automation/executions/${first.headers.get("x-execution-id")}/replay`;
    const again = await http.post(path, { token: owner.token, expect: 200 });
    expect(again.body).toBe(2);
    expect(again.headers.get("x-execution-id")).not.toBe(first.headers.get("x-execution-id"));
  });
});

describe("messages", () => {
  it("are recorded by nodes of type notify and send_email", async () => {
    const nodes = [
      node("tell", "notify", { to: [member.id], title: "Hello", body: expr("'From ' + user.name"), data: { n: 1 } }),
      node("me", "notify", { title: "Me", body: "too" }),
      node("mail", "send_email", { to: "ada@example.test", subject: "Hi", text: expr("'Total ' + string(inputs.n)") }),
    ];
    const id = await saveAutomation(owner, inRow(nodes, { told: expr("nodes.tell.ids"), mail: expr("nodes.mail.id") }));
    const { body } = await run(owner, id, { n: 5 });
    const read = async (object: string, record: string) =>
      (await http.get(`/v1/object/${object}/${record}`, { token: owner.token, expect: 200 })).body;
    expect(await read("email_message", body.mail)).toMatchObject({
      to: ["ada@example.test"],
      subject: "Hi",
      status: "captured",
    });
    expect(await read("notification", body.told[0])).toMatchObject({ title: "Hello", user: { id: member.id } });
  });

  it("fail their node when they are wrong", async () => {
    const nodes = [node("mail", "send_email", { to: "nobody", subject: "Hi", text: "x" })];
    const id = await saveAutomation(owner, inRow(nodes));
    expect((await run(owner, id)).body).toMatchObject({ status: "error", error_type: "validation_failed" });
    const other = await registerOrganization();
    const foreign = await saveAutomation(
      owner,
      inRow([node("tell", "notify", { to: other.id, title: "x", body: "y" })]),
    );
    expect((await run(owner, foreign)).body).toMatchObject({ status: "error", error_type: "validation_failed" });
  });
});

describe("rights", () => {
  it("are those of the executing user at the moment of each node", async () => {
    const permissions = await http.get("/v1/object/permission", { token: owner.token, expect: 200 });
    const rights = { read: true, create: true, update: true };
    const body = {
      name: "Runner",
      object_permissions: { automation: { read: true }, function: { read: true }, lead: rights },
    };
    const permission = await http.post("/v1/object/permission", { token: owner.token, body, expect: 201 });
    expect(permissions.status).toBe(200);
    const runner = await addUser(owner.organizationId, { permissions: [permission.body.id] });
    const revoke = { object_permissions: { automation: { read: true }, function: { read: true } } };
    // The code of the owner's trigger cannot take rights away, so the owner does it while a function waits.
    const waits = await addFunction(owner, `${UNTIL_REFUSED}return 1`);
    const nodes = [
      node("first", "create_record", { object: "lead", values: { name: "Before" } }),
      node("wait", "function", { function_name: waits }),
      node("second", "create_record", { object: "lead", values: { name: "After" } }),
    ];
    const id = await saveAutomation(owner, inRow(nodes));
    const running = run(runner, id);
    await expect.poll(() => leadsNamed(owner, "Before")).toBe(1);
    await http.patch(`/v1/object/permission/${permission.body.id}`, { token: owner.token, body: revoke, expect: 200 });
    const reply = await running;
    expect(reply.body).toMatchObject({ status: "error", error_type: "forbidden" });
    expect(reply.body.message).toMatch(/^"second"/);
    const company = await saveAutomation(
      owner,
      inRow([node("made", "create_record", { object: "company", values: { name: "No" } })]),
    );
    expect((await run(runner, company)).body).toMatchObject({ status: "error", error_type: "forbidden" });
  });

  it("do not reach records of another organization, whose ids are known", async () => {
    const other = await registerOrganization();
    const lead = await http.post("/v1/object/lead", { token: other.token, body: { name: "Foreign" }, expect: 201 });
    const nodes = [node("steal", "update_record", { object: "lead", id: lead.body.id, values: { name: "Stolen" } })];
    const id = await saveAutomation(owner, inRow(nodes));
    expect((await run(owner, id)).body).toMatchObject({ status: "error", error_type: "record_not_found" });
    const query = await saveAutomation(
      owner,
      inRow(
        [node("find", "query", { sql: "SELECT id FROM lead WHERE id = $1", params: [lead.body.id] })],
        expr("nodes.find"),
      ),
    );
    expect((await run(owner, query)).body).toEqual([]);
    await http.post(`/v1/automation/${id}`, { token: other.token, expect: 404 });
  });
});
