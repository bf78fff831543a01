import * as z from "zod";
import { type ChoiceRule, choiceRule } from "./choice.ts";
import { problemIn, problemOf } from "./data-flow.ts";
import { parsePath, parseResultPath } from "./json-path.ts";

const checked = <S extends z.ZodType>(schema: S, problem: (value: z.output<S>) => string | undefined): S =>
  schema.check(({ value, issues }) => {
    const message = problem(value);
    if (message !== undefined) issues.push({ code: "custom", message, input: value });
  });

const path = checked(z.string(), (value) => problemOf(() => parsePath(value)));
const resultPath = checked(z.string(), (value) => problemOf(() => parseResultPath(value)));
const payloadTemplate = checked(z.unknown(), problemIn);
const seconds = z.number().int().min(1).max(99_999_999);

const common = { Comment: z.string().optional(), QueryLanguage: z.literal("JSONPath").optional() };
const filtered = { ...common, InputPath: path.nullish(), OutputPath: path.nullish() };
const transition = { Next: z.string().optional(), End: z.literal(true).optional() };
const errorNames = z.array(z.string()).min(1);

const retrier = z.strictObject({
  Comment: z.string().optional(),
  ErrorEquals: errorNames,
  IntervalSeconds: seconds.default(1),
  MaxAttempts: z.number().int().min(0).max(99_999_999).default(3),
  BackoffRate: z.number().min(1).default(2),
  MaxDelaySeconds: z.number().int().min(1).max(31_622_400).optional(),
  JitterStrategy: z.enum(["FULL", "NONE"]).default("NONE"),
});
export type Retrier = z.output<typeof retrier>;

const catcher = z.strictObject({
  Comment: z.string().optional(),
  ErrorEquals: errorNames,
  Next: z.string(),
  ResultPath: resultPath.nullish(),
});

/** AWS accepts States.ALL alone in the last entry only. */
const allIsLast = (entries: readonly { readonly ErrorEquals: readonly string[] }[]): string | undefined =>
  entries.some(
    ({ ErrorEquals }, index) =>
      ErrorEquals.includes("States.ALL") && (ErrorEquals.length > 1 || index < entries.length - 1),
  )
    ? "States.ALL is not alone in the last entry"
    : undefined;

const working = {
  ...filtered,
  ...transition,
  ResultSelector: payloadTemplate.optional(),
  ResultPath: resultPath.nullish(),
  Retry: checked(z.array(retrier), allIsLast).default([]),
  Catch: checked(z.array(catcher), allIsLast).default([]),
};

/** `FunctionName` may be dynamic, as all of it may. */
const invokeParameters = checked(
  z.strictObject({
    FunctionName: z.string().optional(),
    "FunctionName.$": z.string().optional(),
    Payload: z.unknown().optional(),
    "Payload.$": z.string().optional(),
    InvocationType: z.literal("RequestResponse", "only RequestResponse is supported").optional(),
  }),
  problemIn,
);

const task = z.strictObject({
  ...working,
  Type: z.literal("Task"),
  Resource: z.string().regex(/^arn:[\w-]+:states:::lambda:invoke$/, "only arn:aws:states:::lambda:invoke is supported"),
  Parameters: invokeParameters,
  TimeoutSeconds: seconds.optional(),
  TimeoutSecondsPath: path.optional(),
});

const pass = z.strictObject({
  ...filtered,
  ...transition,
  Type: z.literal("Pass"),
  Result: z.unknown().optional(),
  Parameters: payloadTemplate.optional(),
  ResultPath: resultPath.nullish(),
});

const choice = z.strictObject({
  ...filtered,
  Type: z.literal("Choice"),
  Choices: z.array(choiceRule).min(1),
  Default: z.string().optional(),
});

const timestamp = z.string().refine((value) => !Number.isNaN(Date.parse(value)), "not a timestamp");
const wait = checked(
  z.strictObject({
    ...filtered,
    ...transition,
    Type: z.literal("Wait"),
    Seconds: z.number().int().min(0).max(99_999_999).optional(),
    SecondsPath: path.optional(),
    Timestamp: timestamp.optional(),
    TimestampPath: path.optional(),
  }),
  (state) =>
    [state.Seconds, state.SecondsPath, state.Timestamp, state.TimestampPath].filter((one) => one !== undefined)
      .length === 1
      ? undefined
      : "a Wait has one of Seconds, SecondsPath, Timestamp and TimestampPath",
);

const succeed = z.strictObject({ ...filtered, Type: z.literal("Succeed") });

const fail = z.strictObject({
  ...common,
  Type: z.literal("Fail"),
  Error: z.string().optional(),
  Cause: z.string().optional(),
  ErrorPath: path.optional(),
  CausePath: path.optional(),
});

const parallel = z.strictObject({
  ...working,
  Type: z.literal("Parallel"),
  Parameters: payloadTemplate.optional(),
  Branches: z.array(z.lazy((): z.ZodType<Branch> => branch)).min(1),
});

const map = z.strictObject({
  ...working,
  Type: z.literal("Map"),
  ItemsPath: path.optional(),
  ItemSelector: payloadTemplate.optional(),
  MaxConcurrency: z.number().int().min(0).default(0),
  ItemProcessor: z.lazy((): z.ZodType<Branch> => itemProcessor),
});

const state = z.discriminatedUnion("Type", [task, pass, choice, wait, succeed, fail, parallel, map]);

export type TaskState = z.output<typeof task>;
export type PassState = z.output<typeof pass>;
export type WaitState = z.output<typeof wait>;
export type FailState = z.output<typeof fail>;
export type ParallelState = z.output<typeof parallel>;
export type MapState = z.output<typeof map>;
export interface ChoiceState extends z.output<typeof choice> {
  readonly Choices: (ChoiceRule & { readonly Next: string })[];
}
export type State = z.output<typeof state>;

/** States with a beginning: the machine, a branch, or the processor of a Map. */
export interface Branch {
  readonly StartAt: string;
  readonly States: Readonly<Record<string, State>>;
}

export interface Definition extends Branch {
  readonly TimeoutSeconds?: number | undefined;
}

const targetsOf = (one: State): string[] => [
  ...("Next" in one && one.Next !== undefined ? [one.Next] : []),
  ...("Catch" in one ? one.Catch.map(({ Next }) => Next) : []),
  ...(one.Type === "Choice" ? [...one.Choices.map(({ Next }) => Next), ...(one.Default ? [one.Default] : [])] : []),
];

const problemOfBranch = ({ StartAt, States }: Branch): string | undefined => {
  for (const [name, one] of Object.entries(States)) {
    const unknown = targetsOf(one).find((target) => States[target] === undefined);
    if (unknown !== undefined) return `the state ${name} goes on to ${unknown}, which does not exist`;
    const ends = one.Type === "Succeed" || one.Type === "Fail" || one.Type === "Choice";
    if (!ends && (one.Next === undefined) !== (one.End === true)) return `the state ${name} needs Next or End`;
  }
  return States[StartAt] === undefined ? `StartAt names ${StartAt}, which does not exist` : undefined;
};

const branchShape = { Comment: z.string().optional(), StartAt: z.string(), States: z.record(z.string(), state) };
const branch: z.ZodType<Branch> = checked(z.strictObject(branchShape), problemOfBranch);
const itemProcessor: z.ZodType<Branch> = checked(
  z.strictObject({
    ...branchShape,
    ProcessorConfig: z.strictObject({ Mode: z.literal("INLINE", "only INLINE is supported") }).optional(),
  }),
  problemOfBranch,
);

const namesIn = ({ States }: Branch): string[] =>
  Object.entries(States).flatMap(([name, one]) => [
    name,
    ...(one.Type === "Parallel" ? one.Branches.flatMap(namesIn) : []),
    ...(one.Type === "Map" ? namesIn(one.ItemProcessor) : []),
  ]);

const definition = checked(
  z.strictObject({
    ...branchShape,
    Version: z.literal("1.0").optional(),
    QueryLanguage: z.literal("JSONPath").optional(),
    TimeoutSeconds: seconds.optional(),
  }),
  (machine) => {
    const names = namesIn(machine);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    return twice === undefined ? problemOfBranch(machine) : `two states are named ${twice}`;
  },
);

/** Reads a definition. @throws Error that names what is wrong or not supported */
export const parseDefinition = (text: string): Definition => {
  const parsed = definition.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue?.path.map(String).join(".") || "the definition";
  throw new Error(
    issue?.code === "unrecognized_keys"
      ? `${where}: ${issue.keys.join(", ")} is not supported`
      : `${where}: ${issue?.message}`,
  );
};
