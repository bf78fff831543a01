import { leavesDocuments, type Stage } from "./guard.ts";
import { facet, graphLookup, lookup, type Nested, unionWith } from "./joins.ts";
import type { JsonPath } from "./json.ts";
import { isObject } from "./json.ts";
import { pipelineLimits } from "./limits.ts";
import { plainStages } from "./stages.ts";
import { isAllowed } from "./vocabulary.ts";
import { newUses, refuse, refuseOperator, refuseStructure, type Scope } from "./walk.ts";

/**
 * Checks a pipeline at any depth, and gives the stages to send. `stored` is the collection that it starts from,
 * `within` the stage that contains it.
 */
export const translate: Nested = (pipeline, jsonPath, around, within) => {
  const { walk } = around;
  if (!Array.isArray(pipeline)) {
    refuseStructure(walk, jsonPath, "expected a list of stages.");
    return [];
  }
  let { stored } = around;
  return pipeline.map((stage: unknown, index): Stage => {
    const scope: Scope = { walk, variables: around.variables, stored, uses: newUses() };
    const made = translateStage(stage, [...jsonPath, index], scope, within);
    if (!leavesDocuments(made.name)) stored = null;
    return made;
  });
};

const translateStage = (stage: unknown, jsonPath: JsonPath, scope: Scope, within: string): Stage => {
  const { walk, uses } = scope;
  walk.stages += 1;
  if (walk.stages === pipelineLimits.stages + 1) {
    refuse(walk, jsonPath, "pipeline_too_complex", `a pipeline has at most ${pipelineLimits.stages} stages.`);
  }
  const [name, ...more] = isObject(stage) ? Object.keys(stage) : [];
  if (!isObject(stage) || name === undefined || more.length > 0) {
    refuseStructure(walk, jsonPath, "a stage is an object with one key, such as {$match: …}.");
  }
  const names = name === undefined ? [] : [name, ...more];
  const documents = names.map((each) =>
    documentsOf(each, isObject(stage) ? stage[each] : null, jsonPath, scope, within),
  );
  return { name: name ?? "", documents: documents.flat(), uses };
};

const documentsOf = (
  name: string,
  spec: unknown,
  outer: JsonPath,
  scope: Scope,
  within: string,
): Stage["documents"] => {
  const jsonPath = [...outer, name];
  const { walk } = scope;
  if (!isAllowed("stages", name)) {
    refuseOperator(walk, jsonPath, "stages", name);
    return [];
  }
  if (name === "$facet" && within === "$facet") {
    refuse(walk, jsonPath, "operator_not_allowed", "a $facet has no place inside of another.", { operator: name });
  }
  if (name === "$lookup") return [lookup(spec, jsonPath, scope, translate)];
  if (name === "$unionWith") return [unionWith(spec, jsonPath, scope, translate)];
  if (name === "$graphLookup") return graphLookup(spec, jsonPath, scope);
  if (name === "$facet") return [facet(spec, jsonPath, scope, translate)];
  const plain = Object.hasOwn(plainStages, name) ? plainStages[name] : undefined;
  if (plain !== undefined) return [{ [name]: plain(spec, jsonPath, scope) }];
  // A stage can be in the table without an implementation here.
  refuseOperator(walk, jsonPath, "stages", name);
  return [];
};
