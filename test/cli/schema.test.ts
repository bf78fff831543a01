import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { http, registerOrganization, type User } from "../platform.ts";
import { signedInMachine } from "./command.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
});

describe("tenantry schema", () => {
  test("models an object with its fields, changes it and deletes it", async () => {
    const device = await signedInMachine(owner);
    const tenantry = async (...args: string[]) => {
      const { code, stderr, stdout } = await device.run(["schema", ...args]);
      expect(`${code} ${stderr}`).toMatch(/^0 /);
      return stdout;
    };
    const fields = ["-f", "budget:currency", "-f", "customer:lookup(company)!", "-f", "stage:enum(Open|Done)"];
    const created = JSON.parse(await tenantry("create", "Work order", "--plural-name", "Work orders", ...fields));
    expect(created).toMatchObject({
      api_name: "work_order",
      required: ["name", "customer"],
      properties: { stage: { values: ["Open", "Done"], restricted: true }, customer: { schema: "company" } },
    });
    await tenantry("update", "work_order", "--description", "What is to be done");
    await tenantry("field", "add", "work_order", "hours:number", "--default", "1", "--label", "Working hours");
    await tenantry("field", "add", "work_order", "door_code:string", "--sensitive", "--encrypted", "--indexed");
    await tenantry("field", "update", "work_order", "door_code", "--no-indexed");
    await tenantry("field", "update", "work_order", "stage", "--values", "Open|Waiting|Done");
    await tenantry("field", "update", "work_order", "customer", "--no-required");
    const body = { name: "Roof", stage: "Waiting", door_code: "4711" };
    const record = await http.post("/v1/object/work_order", { token: owner.token, body, expect: 201 });
    expect(record.body).toMatchObject({ hours: 1, stage: "Waiting", door_code: "4711" });
    await tenantry("field", "update", "work_order", "name", "--unique", "--wait");
    expect(JSON.parse(await tenantry("get", "work_order")).properties.name.index_status).toBe("ready");
    await tenantry("field", "delete", "work_order", "hours");
    const shown = JSON.parse(await tenantry("get", "work_order"));
    expect(shown).toMatchObject({ description: "What is to be done", plural_name: "Work orders" });
    expect(Object.keys(shown.properties)).not.toContain("hours");
    expect(shown.properties.door_code).toMatchObject({ sensitive: true, encrypted: true, indexed: false });
    expect(await tenantry("generate")).toBe("");
    const refused = await device.run(["schema", "delete", "work_order", "--yes"]);
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining("its records")]);
    await tenantry("delete", "work_order", "--yes", "--force");
    expect((await device.run(["schema", "get", "work_order"])).code).toBe(4);
  });

  test("adds, tries, shows and deletes validation rules", async () => {
    const device = await signedInMachine(owner);
    const tenantry = (...args: string[]) => device.run(["schema", "rule", ...args]);
    await http.post("/v1/object/task", { token: owner.token, body: { name: "Roof", status: "Open" }, expect: 201 });
    const rule = ["task", "record.status != 'Done'", "-m", "Finish it first", "--field", "status", "--on", "delete"];
    const trial = await tenantry("add", ...rule, "--dry-run");
    expect([trial.code, trial.stderr]).toEqual([0, expect.stringContaining("refuse 1 of 1 stored record")]);
    expect(await tenantry("add", ...rule)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Added finish_it_first to task"),
    });
    expect(JSON.parse((await tenantry("list", "task")).stdout)).toMatchObject({
      api_name: "finish_it_first",
      on: ["delete"],
      error_field: "status",
    });
    const refused = await tenantry("add", "task", "record.statis == 'x'", "-m", "No");
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('Did you mean "status"?')]);
    expect((await tenantry("delete", "task", "finish_it_first")).code).toBe(0);
    expect((await tenantry("list", "task")).stdout).toBe("");
  });

  test.each([
    ["a kind that does not exist", ["create", "X", "-f", "a:money"]],
    ["a definition without a kind", ["create", "X", "-f", "amount"]],
    ["details that the kind does not have", ["field", "add", "lead", "amount2:number(5)"]],
  ])("refuses %s before anything is sent", async (_, args) => {
    const { code, stderr } = await (await signedInMachine(owner)).run(["schema", ...args]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/field/)]);
  });

  test("pulls the model into files and pushes it to another organization, change by change", async () => {
    const source = await registerOrganization();
    const post = (path: string, body: object) => http.post(path, { token: source.token, body });
    const secret = { name: "Code", type: "string", encrypted: true, sensitive: true, unique: true };
    await post("/v1/schema", { name: "Room", fields: [{ name: "Seats", type: "number" }, secret] });
    const fields = [{ name: "Room", type: "json", format: "lookup", schema: "room", required: true }];
    await post("/v1/schema", { name: "Booking", icon: "calendar", fields });
    await post("/v1/schema/field", { object_id: "lead", name: "Budget", type: "number", format: "currency" });
    await post("/v1/schema/booking/validation-rule", {
      name: "Named",
      condition: "record.name == 'x'",
      error_message: "Choose another name.",
    });
    const device = await signedInMachine(source);
    expect((await device.run(["schema", "pull", "booking", "room", "lead"])).stderr).toContain("3 objects");
    const target = await registerOrganization();
    const other = await signedInMachine(target);
    const push = (...args: string[]) => other.run(["schema", "push", "--dir", join(device.home, "schema"), ...args]);
    const lines = [
      "+ object booking",
      "+ object room",
      "+ field booking.room",
      "+ field lead.budget",
      "+ field room.seats",
      "+ field room.code",
      "+ rule booking.named",
    ];
    const dry = await push("--dry-run");
    expect([dry.code, dry.stdout.trim().split("\n")]).toEqual([0, lines]);
    await http.get("/v1/schema/room", { token: target.token, expect: 404 });
    expect((await push("--yes")).stderr).toContain("7 changes");
    const fieldsOf = async (user: User, object: string) => {
      const { id, ...schema } = (await http.get(`/v1/schema/${object}`, { token: user.token, expect: 200 })).body;
      return schema;
    };
    for (const object of ["booking", "room", "lead"]) {
      expect(await fieldsOf(target, object)).toEqual(await fieldsOf(source, object));
    }
    expect((await push("--yes")).stderr).toContain("has what the files say");

    const path = join(device.home, "schema", "room.json");
    const room = JSON.parse(await readFile(path, "utf8"));
    const { seats, ...rest } = room.fields;
    await writeFile(
      path,
      JSON.stringify({ ...room, name: "Hall", fields: { ...rest, size: { ...seats, name: "Size" } } }),
    );
    const changed = await push("--yes", "--prune");
    expect(changed.stdout.trim().split("\n")).toEqual([
      "~ object room: name",
      "+ field room.size",
      "- field room.seats",
    ]);
    const after = await fieldsOf(target, "room");
    expect([after.name, "size" in after.properties, "seats" in after.properties]).toEqual(["Hall", true, false]);
  });

  test("pulls the name of a value list without its values, and pushes it as a name", async () => {
    const [source, target] = [await registerOrganization(), await registerOrganization()];
    const list = { name: "Stages", values: ["Open", "Done"] };
    await http.post("/v1/object/value_list", { token: source.token, body: list, expect: 201 });
    await http.post("/v1/object/value_list", { token: target.token, body: { ...list, values: ["Lost"] }, expect: 201 });
    await http.post("/v1/schema", { token: source.token, body: { name: "Deal" }, expect: 201 });
    const device = await signedInMachine(source);
    const added = ["field", "add", "deal", "stage:enum", "--list", "Stages", "--restricted"];
    expect((await device.run(["schema", ...added])).code).toBe(0);
    await device.run(["schema", "pull", "deal"]);
    const path = join(device.home, "schema", "deal.json");
    const { stage } = JSON.parse(await readFile(path, "utf8")).fields;
    expect(stage).toEqual({
      name: "Stage",
      type: "string",
      format: "enum",
      global_list_name: "Stages",
      restricted: true,
      required: false,
    });
    const other = await signedInMachine(target);
    const push = () => other.run(["schema", "push", "--yes", "--dir", join(device.home, "schema")]);
    expect((await push()).code).toBe(0);
    const { properties } = (await http.get("/v1/schema/deal", { token: target.token, expect: 200 })).body;
    expect(properties.stage).toMatchObject({ global_list_name: "Stages", values: ["Lost"] });
    expect((await push()).stderr).toContain("has what the files say");
  });

  test("a file that is no model is refused, and nothing is changed", async () => {
    const device = await signedInMachine(owner);
    await mkdir(join(device.home, "schema"));
    await writeFile(join(device.home, "schema", "x.json"), '{"api_name": "x", "colour": "red"}');
    const refused = await device.run(["schema", "push", "--yes"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("colour")]);
  });
});
