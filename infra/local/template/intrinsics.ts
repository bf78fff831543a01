import * as z from "zod";
import { Refusal } from "../refusal.ts";

/** The values that intrinsics refer to while a stack is being created. */
export interface Scope {
  /** Stack and logical id, for messages. */
  readonly place: string;
  ref(name: string): unknown;
  attribute(logicalId: string, attribute: string): unknown;
  condition(name: string): boolean;
  mapping(map: string, first: string, second: string): unknown;
  imported(exportName: string): string;
}

/** `AWS::NoValue` removes the property or element. */
export const noValue: unique symbol = Symbol("AWS::NoValue");

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);

type Resolver = (argument: unknown, scope: Scope) => unknown;

const fail = (scope: Scope, message: string): never => {
  throw new Refusal(`The local platform cannot resolve ${scope.place}: ${message}.`);
};

const read = <S extends z.ZodType>(schema: S, value: unknown, scope: Scope, intrinsic: string): z.output<S> => {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : fail(scope, `the arguments of ${intrinsic} are not understood`);
};

const getAttribute: Resolver = (argument, scope) => {
  const pair = typeof argument === "string" ? splitAttribute(argument) : argument;
  const [logicalId, attribute] = read(z.tuple([z.string(), z.string()]), pair, scope, "Fn::GetAtt");
  return scope.attribute(logicalId, attribute);
};

const splitAttribute = (name: string): [string, string] => {
  const dot = name.indexOf(".");
  return [name.slice(0, dot), name.slice(dot + 1)];
};

const substitute: Resolver = (argument, scope) => {
  const [source, values] = read(
    z.union([
      z.string().transform((one) => [one, {}] as const),
      z.tuple([z.string(), z.record(z.string(), z.unknown())]),
    ]),
    argument,
    scope,
    "Fn::Sub",
  );
  const known = new Map(Object.entries(values));
  return source.replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
    if (literal === "!") return `\${${name}}`;
    if (known.has(name)) return read(text, resolve(known.get(name), scope), scope, "Fn::Sub");
    const value = name.includes(".") ? getAttribute(name, scope) : scope.ref(name);
    return read(text, value, scope, "Fn::Sub");
  });
};

const condition = (value: unknown, scope: Scope): boolean => {
  if (typeof value === "object" && value !== null && "Condition" in value) {
    return scope.condition(read(z.string(), value.Condition, scope, "Condition"));
  }
  return read(z.boolean(), resolve(value, scope), scope, "a condition");
};

const resolvers: Readonly<Record<string, Resolver>> = {
  Ref: (argument, scope) => scope.ref(read(z.string(), argument, scope, "Ref")),
  "Fn::GetAtt": getAttribute,
  "Fn::Sub": substitute,
  "Fn::Join": (argument, scope) => {
    const [separator, parts] = read(z.tuple([z.string(), z.unknown()]), argument, scope, "Fn::Join");
    return read(z.array(text), resolve(parts, scope), scope, "Fn::Join").join(separator);
  },
  "Fn::Select": (argument, scope) => {
    const [index, list] = read(z.tuple([z.unknown(), z.unknown()]), argument, scope, "Fn::Select");
    const values = read(z.array(z.unknown()), resolve(list, scope), scope, "Fn::Select");
    const position = read(z.coerce.number().int().nonnegative(), resolve(index, scope), scope, "Fn::Select");
    return position < values.length ? values[position] : fail(scope, `Fn::Select finds no element ${position}`);
  },
  "Fn::Split": (argument, scope) => {
    const [separator, source] = read(z.tuple([z.string(), z.unknown()]), argument, scope, "Fn::Split");
    return read(z.string(), resolve(source, scope), scope, "Fn::Split").split(separator);
  },
  "Fn::If": (argument, scope) => {
    const [name, whenTrue, whenFalse] = read(
      z.tuple([z.string(), z.unknown(), z.unknown()]),
      argument,
      scope,
      "Fn::If",
    );
    return resolve(scope.condition(name) ? whenTrue : whenFalse, scope);
  },
  "Fn::Equals": (argument, scope) => {
    const [left, right] = read(z.tuple([z.unknown(), z.unknown()]), argument, scope, "Fn::Equals");
    return (
      read(text, resolve(left, scope), scope, "Fn::Equals") === read(text, resolve(right, scope), scope, "Fn::Equals")
    );
  },
  "Fn::Not": (argument, scope) => !condition(read(z.tuple([z.unknown()]), argument, scope, "Fn::Not")[0], scope),
  "Fn::And": (argument, scope) =>
    read(z.array(z.unknown()), argument, scope, "Fn::And").every((one) => condition(one, scope)),
  "Fn::Or": (argument, scope) =>
    read(z.array(z.unknown()), argument, scope, "Fn::Or").some((one) => condition(one, scope)),
  "Fn::FindInMap": (argument, scope) => {
    const keys = read(z.array(z.unknown()).length(3), argument, scope, "Fn::FindInMap");
    const [map, first, second] = read(
      z.tuple([z.string(), z.string(), z.string()]),
      keys.map((key) => resolve(key, scope)),
      scope,
      "Fn::FindInMap",
    );
    return scope.mapping(map, first, second);
  },
  "Fn::ImportValue": (argument, scope) =>
    scope.imported(read(z.string(), resolve(argument, scope), scope, "Fn::ImportValue")),
};

/** Resolves all intrinsics in a template value. An unsupported one is refused by name. */
export const resolve = (value: unknown, scope: Scope): unknown => {
  if (typeof value === "string") {
    return value.includes("{{resolve:") ? fail(scope, `the dynamic reference ${value} is not supported`) : value;
  }
  if (Array.isArray(value)) return value.map((one) => resolve(one, scope)).filter((one) => one !== noValue);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const [key, argument] = entries[0] ?? ["", undefined];
  if (entries.length === 1 && (key === "Ref" || key.startsWith("Fn::"))) {
    const resolver = resolvers[key];
    return resolver === undefined ? fail(scope, `the intrinsic ${key} is not supported`) : resolver(argument, scope);
  }
  return Object.fromEntries(
    entries.map(([name, one]) => [name, resolve(one, scope)]).filter(([, one]) => one !== noValue),
  );
};

const named = (reference: string): string[] => [reference.split(".")[0] ?? reference];

/** The names that an intrinsic's argument refers to directly, without nested ones. */
const namesIn: Readonly<Record<string, (argument: unknown) => string[]>> = {
  Ref: (argument) => (typeof argument === "string" ? [argument] : []),
  "Fn::GetAtt": (argument) => {
    const reference: unknown = Array.isArray(argument) ? argument[0] : argument;
    return typeof reference === "string" ? named(reference) : [];
  },
  "Fn::Sub": (argument) => {
    const source: unknown = Array.isArray(argument) ? argument[0] : argument;
    if (typeof source !== "string") return [];
    return [...source.matchAll(/\$\{([^!}][^}]*)\}/g)].flatMap(([, reference = ""]) => named(reference));
  },
};

/** The names of resources and parameters that a value refers to, without resolving it. */
export const referencesIn = (value: unknown): string[] => {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  return Object.entries(value).flatMap(([key, argument]) => [
    ...(namesIn[key]?.(argument) ?? []),
    ...referencesIn(argument),
  ]);
};
