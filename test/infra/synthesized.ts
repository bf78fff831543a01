import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { buildApp } from "../../infra/app.ts";
import { addChecks } from "../../infra/stacks/checks.ts";
import { standInBundles } from "./stand-in-bundles.ts";

const text = z.string();
/** A literal or an unresolved intrinsic, compared as JSON. */
const value = z.unknown().transform((raw) => (typeof raw === "string" ? raw : JSON.stringify(raw)));
const values = z.preprocess((raw) => (Array.isArray(raw) ? raw : [raw]), z.array(value));

const resourceSchema = z.object({
  Type: text,
  DeletionPolicy: text.optional(),
  Properties: z.record(text, z.unknown()).default({}),
  Metadata: z.record(text, z.unknown()).default({}),
});
const templateSchema = z.object({ Resources: z.record(text, resourceSchema) });

const getAtt = z.object({ "Fn::GetAtt": z.tuple([text, z.literal("Arn")]) }).transform((att) => att["Fn::GetAtt"][0]);
const ref = z.object({ Ref: text }).transform((reference) => reference.Ref);

const functionSchema = z.object({
  FunctionName: text,
  Runtime: text,
  Architectures: z.array(text),
  Handler: text,
  Timeout: z.number(),
  ReservedConcurrentExecutions: z.number().optional(),
  RecursiveLoop: text.optional(),
  TenancyConfig: z.unknown().optional(),
  Role: getAtt,
  LoggingConfig: z.object({ LogGroup: ref }),
  Environment: z.object({ Variables: z.record(text, value) }).default({ Variables: {} }),
});
const statementSchema = z.object({ Effect: text, Action: values, Resource: values, Condition: z.unknown().optional() });
const roleSchema = z.strictObject({
  AssumeRolePolicyDocument: z.unknown(),
  Policies: z.array(z.object({ PolicyDocument: z.object({ Statement: z.array(statementSchema) }) })),
});

export interface Resource {
  readonly stack: string;
  readonly id: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly deletionPolicy: string | undefined;
}

/**
 * The synthesized templates with stand-in bundles, and functions to read them. `functions` are those of handlers;
 * `runners` run tenants' code.
 */
export const synthesized = (context: Record<string, unknown> = {}, { checks = false } = {}) => {
  const bundles = standInBundles();
  const outdir = mkdtempSync(join(tmpdir(), "tenantry-synth-"));
  const app = buildApp({
    bundles,
    context: { ...context, "aws:cdk:enable-asset-metadata": true, "aws:cdk:disable-asset-staging": true },
    builtinCloudFormationValidation: checks,
    outdir,
  });
  if (checks) addChecks(app);
  const { stacks } = app.synth();
  const templates = new Map(stacks.map((stack) => [stack.stackName, JSON.stringify(stack.template)]));
  const findings: unknown =
    checks && JSON.parse(readFileSync(join(outdir, "validation-report.json"), "utf8")).pluginReports;
  rmSync(outdir, { recursive: true });

  const resources: Resource[] = [...templates].flatMap(([stack, template]) =>
    Object.entries(templateSchema.parse(JSON.parse(template)).Resources).map(([id, resource]) => ({
      stack,
      id,
      type: resource.Type,
      properties: resource.Properties,
      metadata: resource.Metadata,
      deletionPolicy: resource.DeletionPolicy,
    })),
  );
  const ofType = (type: string) => resources.filter((resource) => resource.type === type);
  const find = (stack: string, id: string): Resource => {
    const found = resources.find((resource) => resource.stack === stack && resource.id === id);
    if (!found) throw new Error(`${stack} has no resource ${id}`);
    return found;
  };
  const handlerOf = new Map([...bundles].map(([handler, { directory }]) => [directory, handler]));
  const all = ofType("AWS::Lambda::Function").map((resource) => {
    const properties = functionSchema.parse(resource.properties);
    const role = roleSchema.parse(find(resource.stack, properties.Role).properties);
    return {
      ...resource,
      name: properties.FunctionName,
      handler: handlerOf.get(z.string().parse(resource.metadata["aws:asset:path"])) ?? "unknown",
      properties,
      environment: properties.Environment.Variables,
      reservedConcurrency: properties.ReservedConcurrentExecutions,
      statements: role.Policies.flatMap((policy) => policy.PolicyDocument.Statement),
    };
  });
  const [functions = [], runners = []] = [true, false].map((isOurs) =>
    all.filter(({ properties }) => (properties.Runtime === "nodejs24.x") === isOurs),
  );
  return { stacks, findings, templates, resources, ofType, find, functions, runners };
};

export type LambdaFunction = ReturnType<typeof synthesized>["functions"][number];

export const actionsOf = (lambda: LambdaFunction): string[] =>
  lambda.statements.flatMap((statement) => statement.Action).toSorted();
