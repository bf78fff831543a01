/** One step of a path: from a value to the values that it selects. */
interface Step {
  readonly select: (value: unknown) => unknown[];
  /** The selected property, for steps that a ResultPath may have. */
  readonly name?: string;
  readonly definite: boolean;
}

export interface JsonPath {
  /** `$` is the input, `$$` the context object. */
  readonly root: "$" | "$$";
  readonly steps: readonly Step[];
  /** Whether it selects one value. Other paths select a list. */
  readonly definite: boolean;
}

const childrenOf = (value: unknown): unknown[] =>
  typeof value === "object" && value !== null ? Object.values(value) : [];

const descendantsOf = (value: unknown): unknown[] => [value, ...childrenOf(value).flatMap(descendantsOf)];

const property = (name: string): Step => ({
  name,
  definite: true,
  select: (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
      ? [Reflect.get(value, name)]
      : [],
});

const all: Step = { definite: false, select: childrenOf };

const element = (index: number): Step => ({
  definite: true,
  select: (value) => {
    if (!Array.isArray(value)) return [];
    const position = index < 0 ? value.length + index : index;
    return position >= 0 && position < value.length ? [value[position]] : [];
  },
});

const slice = (start: string, end: string): Step => ({
  definite: false,
  select: (value) =>
    Array.isArray(value) ? value.slice(start === "" ? 0 : Number(start), end === "" ? undefined : Number(end)) : [],
});

const atAnyDepth = ({ select }: Step): Step => ({
  definite: false,
  select: (value) => descendantsOf(value).flatMap(select),
});

const afterDot = /(\.\.?)(\*|[^\s.[\]*()?'"@,:$]+)/y;
const inBrackets = /(\.\.)?\[\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\*|-?\d+|-?\d*:-?\d*)\s*\]/y;

const unquote = (text: string): string => text.slice(1, -1).replaceAll(/\\(.)/g, "$1");

const bracketStep = (text: string): Step => {
  if (text === "*") return all;
  if (/^['"]/.test(text)) return property(unquote(text));
  const [start = "", end] = text.split(":");
  return end === undefined ? element(Number(start)) : slice(start, end);
};

const parsed = new Map<string, JsonPath>();

/**
 * Reads a path. Filters, scripts, lists and functions are not supported. @throws Error that names the part that is not
 * understood
 */
export const parsePath = (text: string): JsonPath => {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const root = text.startsWith("$$") ? "$$" : "$";
  if (!text.startsWith("$")) throw new Error(`the path ${text} does not begin with $`);
  const steps: Step[] = [];
  let position = root.length;
  while (position < text.length) {
    afterDot.lastIndex = position;
    inBrackets.lastIndex = position;
    const dot = afterDot.exec(text);
    const [whole, deep, selector = ""] = dot ?? inBrackets.exec(text) ?? [];
    if (whole === undefined) throw new Error(`the path ${text} is not supported from ${text.slice(position)} on`);
    position += whole.length;
    const step = dot === null ? bracketStep(selector) : selector === "*" ? all : property(selector);
    steps.push(deep === ".." ? atAnyDepth(step) : step);
  }
  const path: JsonPath = { root, steps, definite: steps.every((step) => step.definite) };
  parsed.set(text, path);
  return path;
};

/** The values that a path selects: one or none if it is definite. */
const select = (path: JsonPath, value: unknown): unknown[] =>
  path.steps.reduce<unknown[]>((values, step) => values.flatMap(step.select), [value]);

/** What paths are read from. */
export interface Data {
  readonly input: unknown;
  readonly context: unknown;
}

/** The value at a path: a list for paths that are not definite, undefined if a definite one selects nothing. */
export const read = (text: string, { input, context }: Data): unknown => {
  const path = parsePath(text);
  const values = select(path, path.root === "$$" ? context : input);
  return path.definite ? values[0] : values;
};

/** The names of a ResultPath. @throws Error if it has other steps than properties */
export const parseResultPath = (text: string): string[] => {
  const { root, steps } = parsePath(text);
  return steps.map(({ name }) => {
    if (name === undefined || root !== "$") throw new Error(`the ResultPath ${text} has other steps than properties`);
    return name;
  });
};

/** The value with the result set at the names. Undefined if a value on the way is not an object. */
export const place = (value: unknown, names: readonly string[], result: unknown): unknown => {
  const [name, ...rest] = names;
  if (name === undefined) return result;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const inner: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : {};
  const placed = place(inner, rest, result);
  return placed === undefined ? undefined : { ...value, [name]: placed };
};
