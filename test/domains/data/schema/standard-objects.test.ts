import { describe, expect, it } from "vitest";
import { objectSchema } from "#contracts/object-schema";
import { storedSchema } from "#shared/data/schema/object-schema";
import { resolveSchema, standardSchemas } from "#shared/data/schema/schema";
import { fieldValue } from "#shared/data/schema/values/field-value";
import { newValidationReport } from "#shared/data/schema/values/validation";

const schemas = standardSchemas();
const SYSTEM_FIELDS = "id created_date modified_date created_by modified_by owner shared_with".split(" ");
const names = schemas.map((schema) => schema.api_name);

describe("the standard objects", () => {
  it("are the twenty-nine of the contract, and those of the audit trail, of messages and of value lists", () => {
    expect([...names].sort()).toEqual(
      [
        ..."user role permission organization app app_page app_metadata automation function record_trigger".split(" "),
        ..."scheduled_item template lead contact company task note invoice notification notification_setting".split(
          " ",
        ),
        ..."email_message document documentation blog_post marketing_page page question log auth_credential".split(" "),
        ..."audit_entry sms_message push_message email_suppression value_list".split(" "),
      ].sort(),
    );
  });

  it.each(schemas.map((schema) => [schema.api_name, schema] as const))("%s is a valid schema", (_, schema) => {
    expect(objectSchema.parse(schema)).toEqual(schema);
    expect(schema.custom).toBe(false);
    expect(Object.keys(schema.properties).slice(0, SYSTEM_FIELDS.length)).toEqual(SYSTEM_FIELDS);
    for (const [name, field] of Object.entries(schema.properties)) {
      expect(field.api_name).toBe(name);
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      if (field.schema !== undefined) expect(names).toContain(field.schema);
      if (field.format === "lookup" || field.format === "lookup_list") expect(field.schema).toBeDefined();
    }
  });

  it("of an app's configuration refer to the app", () => {
    const referring = schemas.filter(({ properties }) => properties.app?.schema === "app").map((one) => one.api_name);
    expect(referring.sort()).toEqual(
      "app_metadata app_page automation function notification_setting record_trigger template value_list".split(" "),
    );
  });

  it("have defaults that are valid for their fields", () => {
    for (const schema of schemas) {
      for (const field of Object.values(schema.properties)) {
        if (field.default === undefined) continue;
        const report = newValidationReport();
        fieldValue(field.default, field, { report, at: [schema.api_name, field.api_name], secret: false });
        expect(report.issues).toEqual([]);
      }
    }
  });

  it("are equal after being stored and read", () => {
    for (const schema of schemas) expect(resolveSchema(storedSchema(schema))).toEqual(schema);
  });
});

describe("a stored schema", () => {
  const stored = { _id: "x", id: "x", api_name: "project", name: "Project" };
  const title = { api_name: "title", name: "Title", type: "string" };

  it("cannot change a system field", () => {
    const properties = { id: { ...title, api_name: "id", required: false }, title };
    expect(resolveSchema({ ...stored, properties }).properties.id).toMatchObject({
      name: "Id",
      unique: true,
      system: true,
    });
  });

  it("makes a field required by `required` of the object or of the field", () => {
    const schema = resolveSchema({ ...stored, properties: { title }, required: ["title"] });
    expect(schema.properties.title?.required).toBe(true);
    expect(schema.required).toEqual(["title"]);
  });

  it("that is invalid raises an error", () => {
    expect(() => resolveSchema({ ...stored, properties: { title: { ...title, type: "text" } } })).toThrow();
  });
});
