import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, test } from "vitest";
import { declaredFaults, requiresToken } from "#contracts/contract";
import { faultTable } from "#contracts/fault-table";
import { routes } from "#contracts/routes";
import { openapiDocument } from "#shared/openapi/openapi";
import { exampleContracts } from "./example-contracts.ts";
import { schemaValidator } from "./schema-validator.ts";

const options = { version: "1.2.3", server: "https://api.tenantry.test" };
const ours = openapiDocument(options);
const examples = openapiDocument({ ...options, contracts: exampleContracts });

/** Besides the strict ruleset, rules of style. */
const RULES = {
  "operation-description": "off",
  "operation-singular-tag": "error",
  "operation-tag-defined": "error",
  "operation-operationId": "error",
  "parameter-description": "error",
  "array-parameter-serialization": "off",
  "tag-description": "error",
  "spec-strict-refs": "error",
  "no-http-verbs-in-paths": "off",
  "path-params-defined": "error",
} as const;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Every object in a value, with its path. */
const objectsIn = (value: unknown, path = "#"): [string, Record<string, unknown>][] => {
  if (!isObject(value)) return [];
  const inner = Object.entries(value).flatMap(([key, part]) => objectsIn(part, `${path}/${key}`));
  return [[path, value], ...inner];
};

/** A form's reply is a redirect, so such a route has no 2XX of its own (RFC 9110 §15.4.4). */
const leadsOn = (document: unknown, pointer: string): boolean => {
  const steps = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/"));
  const responses = steps.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), document);
  return isObject(responses) && "303" in responses;
};

describe.each([
  ["the platform's document", ours],
  ["a document of example contracts", examples],
])("%s", (_name, document) => {
  test("passes the strict ruleset of a linter", async () => {
    const config = await createConfig({ extends: ["recommended-strict"], rules: RULES });
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: "openapi.json", config });
    // The linter defines `x-usePkce` with other values than the reference page reads.
    const found = problems
      .map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer ?? ""] as const)
      .filter(([, , pointer]) => !pointer?.endsWith("/x-usePkce"))
      // This path is prescribed.
      .filter(([rule, , pointer]) => rule !== "no-path-trailing-slash" || !pointer?.includes("schema~1generate~1"))
      .filter(([rule, , pointer]) => rule !== "operation-2xx-response" || !leadsOn(document, pointer));
    expect(found).toEqual([]);
  });

  test("every reference in the OpenAPI document exists", () => {
    for (const [path, { $ref }] of objectsIn(document)) {
      if (typeof $ref !== "string") continue;
      const target = $ref
        .slice(2)
        .split("/")
        .reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), document);
      expect(target, `${path} → ${$ref}`).toBeDefined();
    }
  });

  test("every example in the OpenAPI document fits its schema", () => {
    const problemOf = schemaValidator(document);
    let checked = 0;
    for (const [path, { schema, examples: named }] of objectsIn(document.paths)) {
      if (!isObject(schema) || !isObject(named)) continue;
      for (const [name, example] of Object.entries(named)) {
        checked += 1;
        expect(problemOf(schema, isObject(example) ? example.value : undefined), `${path} ${name}`).toBeUndefined();
      }
    }
    for (const [path, schema] of objectsIn(document)) {
      if (!Array.isArray(schema.examples) || path.endsWith("/properties")) continue;
      for (const example of schema.examples) {
        checked += 1;
        expect(problemOf(schema, example), path).toBeUndefined();
      }
    }
    expect(checked).toBeGreaterThan(10);
  });
});

test("the same contracts give the same OpenAPI document, byte for byte", () => {
  expect(JSON.stringify(openapiDocument(options))).toBe(JSON.stringify(ours));
});

const [internal, shown] = [true, false].map((isInternal) =>
  routes.filter(({ access }) => (access === "capability") === isInternal),
);

test("routes of the platform's own parts are not described", () => {
  expect((internal ?? []).length).toBeGreaterThan(0);
  for (const { path, method } of internal ?? []) expect(ours.paths[path]?.[method.toLowerCase()]).toBeUndefined();
});

test.each((shown ?? []).map((route) => [route.operation, route] as const))(
  "%s is described as its contract says",
  (_name, route) => {
    const operation = ours.paths[route.path]?.[route.method.toLowerCase()];
    expect(operation?.operationId).toBe(route.operation);
    expect(operation?.["x-access"]).toBe(route.access);
    expect(operation?.security.some((one) => "bearer" in one)).toBe(requiresToken(route));
    expect(operation?.security.some((one) => "oauth2" in one)).toBe(requiresToken(route) && route.refusesApps !== true);
    const statuses = declaredFaults(route).map((code) => faultTable[code].status);
    const expected = new Set([...Object.keys(route.replies).map(Number), ...statuses, 429]);
    expect(Object.keys(operation?.responses ?? {}).map(Number)).toEqual([...expected].sort((a, b) => a - b));
  },
);

test("every route states which tokens it accepts, and which scope an app needs", () => {
  expect(ours.paths["/v1/query"]?.get?.security).toEqual([{ bearer: [] }, { oauth2: ["read"] }]);
  expect(ours.paths["/v1/object/{object}"]?.post?.security).toEqual([{ bearer: [] }, { oauth2: ["write"] }]);
  expect(ours.paths["/v1/status/v1/user/status"]?.post?.security).toEqual([{ bearer: [] }, { oauth2: ["write"] }, {}]);
  expect(ours.paths["/v1/status"]?.get?.security).toEqual([]);
  const clients = ours.paths["/v1/auth/client"]?.get;
  expect(clients?.security).toEqual([{ bearer: [] }]);
  expect(clients?.description).toContain("Apps may not call this route");
});

test("the OpenAPI document describes the authorization code flow with PKCE", () => {
  expect(ours.components.securitySchemes.oauth2?.flows?.authorizationCode).toMatchObject({
    authorizationUrl: `${options.server}/v1/oauth2/authorize`,
    tokenUrl: `${options.server}/v1/oauth2/token`,
    "x-usePkce": "SHA-256",
  });
});

describe("the OpenAPI document of example contracts", () => {
  const repaint = examples.paths["/v1/folders/{folder_id}/paint"]?.post;
  const content = (status: string) => repaint?.responses[status]?.content?.["application/json"];

  test("makes values with a default optional in requests and required in replies", () => {
    const { schemas } = examples.components;
    expect(schemas.Colour?.required).toEqual(["name", "shade"]);
    expect(schemas.ColourInput?.required).toEqual(["name"]);
    expect(repaint?.requestBody?.content["application/json"]?.schema.$ref).toBe("#/components/schemas/PaintInput");
    expect(schemas.PaintInput?.properties?.colour?.$ref).toBe("#/components/schemas/ColourInput");
    expect(content("201")?.schema.$ref).toBe("#/components/schemas/Paint");
  });

  test("requires a body unless the contract does not, in each of its content types", () => {
    expect(repaint?.requestBody?.required).toBe(true);
    expect(Object.keys(repaint?.requestBody?.content ?? {})).toEqual([
      "application/json",
      "application/x-www-form-urlencoded",
    ]);
    expect(examples.paths["/v1/folders"]?.put?.requestBody?.required).toBe(false);
  });

  test("says where parameters belong, and has no parameters for headers that OpenAPI describes elsewhere", () => {
    expect(repaint?.parameters?.map(({ in: place, name, required }) => [place, name, required])).toEqual([
      ["path", "folder_id", true],
      ["query", "dry_run", false],
      ["query", "ids", true],
      ["header", "x-reason", true],
      ["header", "Idempotency-Key", false],
    ]);
    expect(repaint?.parameters?.[1]).toMatchObject({ description: "Only look.", schema: { type: "boolean" } });
  });

  test("lists the fault codes of each status, and allows no others", () => {
    const problemOf = schemaValidator(examples);
    expect(Object.keys(content("409")?.examples ?? {})).toEqual(["duplicate_value", "idempotency_in_flight"]);
    const body = { detail: "No.", code: "duplicate_value", request_id: "r" };
    expect(problemOf(content("409")?.schema ?? {}, body)).toBeUndefined();
    expect(problemOf(content("409")?.schema ?? {}, { ...body, code: "email_taken" })).toContain(
      "must be equal to one of",
    );
    expect(content("422")?.schema.$ref).toBe("#/components/schemas/HTTPValidationError");
  });

  test("has the headers of errors and replies", () => {
    const headers = (status: string) => Object.keys(repaint?.responses[status]?.headers ?? {});
    expect(headers("401")).toEqual(["x-request-id", "WWW-Authenticate"]);
    expect(headers("409")).toEqual(["x-request-id", "Retry-After"]);
    expect(headers("429")).toEqual(["x-request-id", "Retry-After"]);
    expect(headers("503")).toEqual(["x-request-id", "Retry-After"]);
    expect(headers("201")).toEqual(["x-request-id", "Location", "Idempotency-Replayed"]);
  });

  test("allows a schema to contain itself, and describes dates and transforms as they are sent", () => {
    expect(examples.components.schemas.Folder?.properties?.children?.items?.$ref).toBe("#/components/schemas/Folder");
    const { schema } =
      examples.paths["/v1/folders/{folder_id}"]?.get?.responses["200"]?.content?.["application/json"] ?? {};
    expect(schema?.properties?.read_at).toMatchObject({ type: "string", format: "date-time" });
    expect(schema?.properties?.size).toMatchObject({ type: "number" });
  });

  test("allows more properties in replies, but not in strict requests", () => {
    expect(examples.components.schemas.Paint).not.toHaveProperty("additionalProperties");
    const put = examples.paths["/v1/folders"]?.put?.requestBody?.content["application/json"]?.schema;
    expect(put?.additionalProperties).toBe(false);
  });
});
