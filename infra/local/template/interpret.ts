import { account } from "../account.ts";
import { Refusal } from "../refusal.ts";
import type { CreatedResource, CreateResource } from "../service.ts";
import { noValue, referencesIn, resolve, type Scope } from "./intrinsics.ts";
import { parseTemplate, type StackTemplate, type Template, type TemplateResource } from "./model.ts";
import { inOrder } from "./order.ts";

interface Interpreter {
  /** The services by resource type. */
  readonly creators: ReadonlyMap<string, CreateResource>;
  /** The value of an SSM parameter of an earlier stack. */
  readonly parameter: (name: string) => string | undefined;
}

interface Stack {
  readonly name: string;
  readonly template: Template;
}

/**
 * Creates the resources of all stacks, in the order of their dependencies. Refuses unsupported resources before
 * anything is created, all in one sentence.
 */
export const interpretTemplates = (templates: readonly StackTemplate[], interpreter: Interpreter): void => {
  const stacks = new Map(templates.map((one) => [one.stack, { name: one.stack, template: parseTemplate(one) }]));
  refuseUnknownTypes(stacks.values(), interpreter.creators);
  const exports = new Map<string, string>();
  for (const name of orderOfStacks(stacks)) {
    const stack = stacks.get(name);
    if (stack !== undefined) createStack(stack, interpreter, exports);
  }
};

const refuseUnknownTypes = (stacks: Iterable<Stack>, creators: ReadonlyMap<string, CreateResource>): void => {
  const unknown = [...stacks].flatMap(({ name, template }) =>
    Object.entries(template.Resources)
      .filter(([, resource]) => !creators.has(resource.Type))
      .map(([logicalId, resource]) => `${resource.Type} (${name}/${logicalId})`),
  );
  if (unknown.length > 0) throw new Refusal(`The local platform does not support ${unknown.join(", ")}.`);
};

/** The values that a stack provides to others: names of SSM parameters and of exports, if they are plain text. */
const offers = ({ template }: Stack): string[] =>
  [
    ...Object.values(template.Resources)
      .filter((resource) => resource.Type === "AWS::SSM::Parameter")
      .map((resource) => resource.Properties?.Name),
    ...Object.values(template.Outputs).map((output) => output.Export?.Name),
  ].filter((name) => typeof name === "string");

const wants = ({ template }: Stack): string[] => [
  ...Object.values(template.Parameters)
    .filter((parameter) => parameter.Type === "AWS::SSM::Parameter::Value<String>")
    .map((parameter) => String(parameter.Default)),
  ...[...JSON.stringify(template).matchAll(/\{"Fn::ImportValue":"([^"]+)"\}/g)].map(([, name]) => name ?? ""),
];

const orderOfStacks = (stacks: ReadonlyMap<string, Stack>): string[] => {
  const offeredBy = new Map([...stacks.values()].flatMap((stack) => offers(stack).map((name) => [name, stack.name])));
  return inOrder(
    stacks.keys(),
    (name) => {
      const stack = stacks.get(name);
      return stack === undefined ? [] : wants(stack).flatMap((wanted) => offeredBy.get(wanted) ?? []);
    },
    (circle) => `The stacks need each other in a circle: ${circle.join(" → ")}.`,
  );
};

const createStack = (stack: Stack, interpreter: Interpreter, exports: Map<string, string>): void => {
  const created = new Map<string, CreatedResource>();
  const scopeAt = (place: string): Scope => scopeOf(stack, place, created, interpreter, exports);
  const wanted = new Map(
    Object.entries(stack.template.Resources).filter(
      ([logicalId, resource]) =>
        resource.Condition === undefined || scopeAt(`${stack.name}/${logicalId}`).condition(resource.Condition),
    ),
  );
  const order = inOrder(
    wanted.keys(),
    (logicalId) => neededBy(wanted.get(logicalId)),
    (circle) => `The resources of ${stack.name} need each other in a circle: ${circle.join(" → ")}.`,
  );
  for (const logicalId of order) {
    const resource = wanted.get(logicalId);
    const create = resource && interpreter.creators.get(resource.Type);
    if (resource === undefined || create === undefined) continue;
    const properties = resolve(resource.Properties ?? {}, scopeAt(`${stack.name}/${logicalId} (${resource.Type})`));
    created.set(
      logicalId,
      create({
        stack: stack.name,
        logicalId,
        type: resource.Type,
        properties: typeof properties === "object" ? { ...properties } : {},
        metadata: resource.Metadata ?? {},
      }),
    );
  }
  for (const [name, output] of Object.entries(stack.template.Outputs)) {
    const scope = scopeAt(`${stack.name}/${name} (output)`);
    if (output.Condition !== undefined && !scope.condition(output.Condition)) continue;
    const value = String(resolve(output.Value, scope));
    if (output.Export !== undefined) exports.set(String(resolve(output.Export.Name, scope)), value);
  }
};

const neededBy = (resource: TemplateResource | undefined): string[] => {
  if (resource === undefined) return [];
  return [...[resource.DependsOn ?? []].flat(), ...referencesIn(resource.Properties ?? {})];
};

const pseudoParameters = (stack: string): ReadonlyMap<string, unknown> =>
  new Map<string, unknown>([
    ["AWS::AccountId", account.id],
    ["AWS::Region", account.region],
    ["AWS::Partition", account.partition],
    ["AWS::URLSuffix", "amazonaws.com"],
    ["AWS::StackName", stack],
    ["AWS::StackId", `arn:${account.partition}:cloudformation:${account.region}:${account.id}:stack/${stack}/local`],
    ["AWS::NotificationARNs", []],
    ["AWS::NoValue", noValue],
  ]);

const scopeOf = (
  { name: stackName, template }: Stack,
  place: string,
  created: ReadonlyMap<string, CreatedResource>,
  interpreter: Interpreter,
  exports: ReadonlyMap<string, string>,
): Scope => {
  const fail = (reason: string): never => {
    throw new Refusal(`The local platform cannot resolve ${place}: ${reason}.`);
  };
  const parameterValue = (name: string): unknown => {
    const parameter = template.Parameters[name];
    if (parameter === undefined) return undefined;
    if (parameter.Default === undefined) return fail(`the parameter ${name} has no default`);
    if (parameter.Type !== "AWS::SSM::Parameter::Value<String>") return parameter.Default;
    const source = String(parameter.Default);
    return interpreter.parameter(source) ?? fail(`no stack creates the SSM parameter ${source}`);
  };
  const pseudo = pseudoParameters(stackName);
  const scope: Scope = {
    place,
    ref: (name) =>
      pseudo.has(name)
        ? pseudo.get(name)
        : (created.get(name)?.ref ?? parameterValue(name) ?? fail(`nothing is named ${name}`)),
    attribute: (logicalId, attribute) =>
      created.get(logicalId)?.attributes?.[attribute] ?? fail(`${logicalId} has no attribute ${attribute} here`),
    condition: (name) => {
      const definition = template.Conditions[name] ?? fail(`no condition is named ${name}`);
      return resolve(definition, scope) === true;
    },
    mapping: (map, first, second) =>
      template.Mappings[map]?.[first]?.[second] ?? fail(`the mapping ${map} has no ${first}.${second}`),
    imported: (name) => exports.get(name) ?? fail(`no stack exports ${name}`),
  };
  return scope;
};
