import { describe, expect, it } from "vitest";
import { duplicateKey } from "#shared/data/records/indexes";
import { indexPlanOf, resolveSchema, standardSchemas } from "#shared/data/schema/schema";

const schemaNamed = (name: string) => {
  const schema = standardSchemas().find((candidate) => candidate.api_name === name);
  if (schema === undefined) throw new Error(name);
  return schema;
};

const namesOf = (name: string) => indexPlanOf(schemaNamed(name)).indexes.map((index) => index.name);

describe("the indexes of an object", () => {
  it("are those of its dates, owner, lookups, indexed and unique fields, and readers", () => {
    expect(namesOf("lead")).toEqual(
      ["created_date", "modified_date", "owner.id", "status", "email", "company.id", "_readers"].map(
        (path) => `tenantry_${path}+id`,
      ),
    );
    expect(namesOf("function")).toContain("tenantry_unique_file_name");
  });

  it("allow many records without a value of a unique field", () => {
    const unique = indexPlanOf(schemaNamed("app")).indexes.find((index) => index.unique === true);
    expect(unique).toMatchObject({ key: { api_name: 1 }, partialFilterExpression: { api_name: { $exists: true } } });
  });

  it("are no more than MongoDB allows for a collection", () => {
    for (const schema of standardSchemas()) expect(indexPlanOf(schema).indexes.length).toBeLessThan(64);
  });

  it("have a fingerprint that changes only with them", () => {
    const lead = schemaNamed("lead");
    expect(indexPlanOf(resolveSchema({ ...lead, description: "other" })).fingerprint).toBe(
      indexPlanOf(lead).fingerprint,
    );
    const source = { ...lead.properties.source, unique: true };
    const changed = resolveSchema({ ...lead, properties: { ...lead.properties, source } });
    expect(indexPlanOf(changed).fingerprint).not.toBe(indexPlanOf(lead).fingerprint);
  });
});

describe("a duplicate key error", () => {
  it("names field and index", () => {
    const message =
      "E11000 duplicate key error collection: org.function index: tenantry_unique_file_name dup key: { … }";
    expect(duplicateKey(Object.assign(new Error(message), { code: 11000 }))).toEqual({ field: "file_name" });
    const inBatch = Object.assign(new Error("bulk"), { code: 11000, writeErrors: [{ index: 3, errmsg: message }] });
    expect(duplicateKey(inBatch)).toEqual({ field: "file_name", index: 3 });
    expect(duplicateKey(Object.assign(new Error(message), { code: 112 }))).toBeUndefined();
  });
});
