import { issuesOfStored, type KnownNames } from "#shared/data/schema/automations/check/check";
import { schemasOf } from "#shared/data/schema/schema";
import type { Issue } from "#shared/foundation/faults";
import { isObject } from "#shared/foundation/is-object";
import type { CheckedWrite } from "../check-rules.ts";
import type { PushedFunction, Target } from "../target.ts";
import type { DefinitionCheck } from "./definitions.ts";
import { refusesEvents, refusesTriggers } from "./trigger-objects.ts";

interface StoredFunction extends PushedFunction {
  readonly _id: string;
}

const isActive = ({ active }: PushedFunction): boolean => active !== false;

/** The active functions of the organization, and those of a push, which replace them. */
const knownFunctions = async ({ tenant, pushed }: Target): Promise<PushedFunction[]> => {
  const projection = { file_name: 1, active: 1 };
  const stored = await tenant.collection<StoredFunction>("function").find({}, { projection }).toArray();
  const replaced = new Set(pushed?.functions.map(({ id }) => id));
  const kept = stored.filter(({ _id }) => !replaced.has(_id)).map((each) => ({ ...each, id: each._id }));
  return [...kept, ...(pushed?.functions ?? [])].filter(isActive);
};

const knownNames = async (target: Target): Promise<KnownNames> => {
  const [schemas, functions] = await Promise.all([schemasOf(target.tenant), knownFunctions(target)]);
  const names = new Set(functions.map(({ file_name }) => file_name));
  const ids = new Set(functions.map(({ id }) => id));
  return {
    objects: new Map(Object.entries({ ...schemas, ...target.pushed?.schemas })),
    hasFunction: (which) => ("id" in which ? ids.has(which.id) : names.has(which.file_name)),
    refusesTriggers: (object, events) => refusesTriggers(object) ?? refusesEvents(object, events, "async"),
  };
};

type Stored = CheckedWrite["after"];

const storedValue = (record: Stored, name: string): unknown => record?.[name];

const isEmpty = (list: unknown): boolean => !Array.isArray(list) || list.length === 0;

/** A draft without nodes can be stored, but does not run. */
const isDraft = (after: Stored): boolean =>
  isEmpty(storedValue(after, "nodes")) && isEmpty(storedValue(after, "edges")) && storedValue(after, "active") !== true;

const runAsIssues = ({ after, loc }: CheckedWrite): Issue[] => {
  if (after?.public !== true || isObject(after.run_as)) return [];
  const msg = "An automation that anyone may run needs a user as whom it runs.";
  return [{ loc: [...loc, "run_as"], msg, type: "missing" }];
};

/** Nodes and edges are checked when they change, and when the automation is activated. */
const isChanged = ({ before, after }: CheckedWrite): boolean =>
  before === null ||
  ["nodes", "edges"].some((name) => storedValue(before, name) !== storedValue(after, name)) ||
  (storedValue(before, "active") !== true && storedValue(after, "active") === true);

const issuesOfWrite = ({ after, loc }: CheckedWrite, known: KnownNames): Issue[] => {
  const stored = { nodes: storedValue(after, "nodes"), edges: storedValue(after, "edges") };
  return issuesOfStored(stored, known).map((issue) => ({ ...issue, loc: [...loc, ...issue.loc] }));
};

export const checkAutomations: DefinitionCheck = async (target, writes) => {
  const issues = writes.flatMap(runAsIssues);
  const changed = writes.filter((write) => write.after !== null && isChanged(write) && !isDraft(write.after));
  if (changed.length === 0) return issues;
  const known = await knownNames(target);
  return [...issues, ...changed.flatMap((write) => issuesOfWrite(write, known))];
};
