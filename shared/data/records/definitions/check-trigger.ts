import { schemasOf } from "#shared/data/schema/schema";
import { didYouMean } from "#shared/foundation/did-you-mean";
import type { Issue } from "#shared/foundation/faults";
import type { CheckedWrite } from "../check-rules.ts";
import type { Target } from "../target.ts";
import { codeIssues } from "./check-code.ts";
import { fileNameIssues } from "./check-function.ts";
import type { DefinitionCheck } from "./definitions.ts";
import { refusesEvents, refusesTriggers } from "./trigger-objects.ts";

/** The objects of the organization, and those of a push. */
const objectNames = async ({ tenant, pushed }: Target): Promise<string[]> =>
  Object.keys({ ...(await schemasOf(tenant)), ...pushed?.schemas });

const objectIssues = ({ after, loc }: CheckedWrite, objects: readonly string[]): Issue[] => {
  const name: unknown = after?.object_api_name;
  if (typeof name !== "string") return [];
  const at = [...loc, "object_api_name"];
  const refused = refusesTriggers(name);
  if (refused !== undefined) return [{ loc: at, msg: refused, type: "no_triggers" }];
  if (objects.includes(name)) return [];
  const meant = didYouMean(name, objects);
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  return [{ loc: at, msg: `There is no object "${name.slice(0, 80)}".${hint}`, type: "unknown_object" }];
};

const eventIssues = ({ after, loc }: CheckedWrite): Issue[] => {
  const events: unknown = after?.events;
  if (!Array.isArray(events)) return [];
  if (events.length === 0) return [{ loc: [...loc, "events"], msg: "Expected at least one event.", type: "too_short" }];
  const mode = after?.mode === "async" ? "async" : "sync";
  const refused = refusesEvents(String(after?.object_api_name).toLowerCase(), events, mode);
  if (refused !== undefined) return [{ loc: [...loc, "events"], msg: refused, type: "no_triggers" }];
  const early = events.find((event) => typeof event === "string" && event.startsWith("before_"));
  if (after?.mode !== "async" || early === undefined) return [];
  const msg = `"${early}" runs before the write, so its trigger cannot be async.`;
  return [{ loc: [...loc, "mode"], msg, type: "async_before" }];
};

export const checkTriggers: DefinitionCheck = async (target, writes) => {
  const objects = await objectNames(target);
  const own = writes.flatMap((write) => [
    ...fileNameIssues(write),
    ...objectIssues(write, objects),
    ...eventIssues(write),
  ]);
  return [...own, ...(await codeIssues(target, writes, "trigger"))];
};
