import { recordWriter } from "#shared/data/records/writer/writer";
import { recordHooks } from "#shared/functions/triggers/triggers";
import { NodeError } from "../engine/node-error.ts";
import { type Execute, type NodeContext, next } from "./node.ts";
import { requireScope } from "./scopes.ts";

const writerOf = ({ tenant, execution, deadline }: NodeContext) =>
  recordWriter(tenant, recordHooks(tenant, { deadline, parent: execution }));

export const createRecord: Execute<"create_record"> = async ({ config }, context) => {
  requireScope(context.tenant, "write");
  const values = context.evaluation.value(config.values);
  const { records } = await writerOf(context).create(config.object, values);
  return { result: next, inputs: { object: config.object, values }, output: records[0] };
};

/** A reference, a record or an id. */
const idOf = (given: unknown): string => {
  const id = typeof given === "object" && given !== null && "id" in given ? given.id : given;
  if (typeof id === "string" && id !== "") return id;
  throw new NodeError("update_record", "The id of the record to update is missing.");
};

export const updateRecord: Execute<"update_record"> = async ({ config }, context) => {
  requireScope(context.tenant, "write");
  const id = idOf(context.evaluation.value(config.id));
  const values = context.evaluation.value(config.values);
  const output = await writerOf(context).updateOne(config.object, id, values);
  return { result: next, inputs: { object: config.object, id, values }, output };
};
