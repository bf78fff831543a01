import { checkStage } from "../arguments/stages.ts";
import { type ErrorCode, MongoFault, unsupported } from "../foundation/fault.ts";
import { isKnownUnsupported, isSupported } from "../foundation/operators.ts";
import { Doc } from "../values/document.ts";
import type { Value } from "../values/types.ts";

export function isSelfContained(stages: readonly Doc[], name: string | undefined): boolean {
  const first = stages[0]?.keys[0];
  if (first === "$documents") {
    if (name !== undefined)
      throw new MongoFault(
        "InvalidNamespace",
        "$documents is only valid as the first stage of a pipeline on a database",
      );
    return true;
  }
  return first === "$collStats" || first === "$indexStats";
}

/** Stages that may only be last, or only first. */
const onlyLast = new Set(["$out", "$merge"]);
const onlyFirst = new Set(["$documents", "$collStats", "$indexStats"]);

export function checkStages(stages: readonly Value[], inside: string | undefined): Doc[] {
  return stages.map((stage, i) => {
    if (!(stage instanceof Doc))
      throw new MongoFault("TypeMismatch", "Each element of the 'pipeline' array must be an object");
    if (stage.size !== 1)
      throw new MongoFault("Location40323", "A pipeline stage specification object must contain exactly one field.");
    const name = stage.keys[0] as string;
    if (!isSupported("stages", name)) {
      throw isKnownUnsupported(name)
        ? unsupported(name)
        : new MongoFault("Location40324", `Unrecognized pipeline stage name: '${name}'`);
    }
    checkPlace(name, i, inside);
    checkStage(name, stage.values[0] as Value);
    return stage;
  });
}

const insideCodes: Record<string, ErrorCode> = {
  $lookup: "Location51047",
  $facet: "Location40600",
  $unionWith: "Location31441",
};

/** A final $out or $merge is removed before this check, so each one that is found is misplaced. */
function checkPlace(name: string, at: number, inside: string | undefined): void {
  if (onlyLast.has(name)) {
    if (inside === undefined)
      throw new MongoFault("Location40601", `${name} can only be the final stage in the pipeline`);
    throw new MongoFault(
      insideCodes[inside] ?? "Location40600",
      `${name} is not allowed within a ${inside} stage's sub-pipeline`,
    );
  }
  if (inside === "$facet" && (name === "$facet" || onlyFirst.has(name))) {
    throw new MongoFault("Location40600", `${name} is not allowed to be used within a $facet stage`);
  }
  if (onlyFirst.has(name) && at > 0)
    throw new MongoFault("Location40602", `${name} is only valid as the first stage in a pipeline`);
}
