import * as z from "zod";
import { createRecords, deleteRecords, updateRecord, updateRecords } from "#contracts/records";
import { oneOrMany, type RecordWriter, recordWriter } from "#shared/data/records/writer/writer";
import { parentOf } from "../executions/execution.ts";
import { recordHooks } from "../triggers/triggers.ts";
import { namedArguments, parsedAs } from "./arguments.ts";
import type { Calling, Method } from "./method.ts";

const object = createRecords.request.path.shape.object;
const { ids } = deleteRecords.request.query.shape;
const { id } = updateRecord.request.path.shape;

const writerOf = ({ tenant, execution, deadline }: Calling): RecordWriter =>
  recordWriter(tenant, recordHooks(tenant, { deadline, parent: parentOf(execution) }));

const create: Method = {
  scope: "write",
  run: async (calling, call) => {
    const named = namedArguments(call, ["object", "data"]);
    const name = parsedAs(object, named.object, ["object"]);
    const data = parsedAs(createRecords.request.body, named.data);
    return oneOrMany(data, (await writerOf(calling).create(name, data)).records);
  },
};

/** `update(object, data)` with the ids in the data, or `update(object, id, changes)`. */
const update: Method = {
  scope: "write",
  run: async (calling, call) => {
    const isById = typeof call.args[1] === "string" || call.args.length === 3 || "id" in call.kwargs;
    const named = namedArguments(call, isById ? ["object", "id", "changes"] : ["object", "data"]);
    const name = parsedAs(object, named.object, ["object"]);
    if (isById) {
      const changes = parsedAs(updateRecord.request.body, named.changes);
      return writerOf(calling).updateOne(name, parsedAs(id, named.id, ["id"]), changes);
    }
    const data = parsedAs(updateRecords.request.body, named.data);
    return oneOrMany(data, (await writerOf(calling).update(name, data)).records);
  },
};

const remove: Method = {
  scope: "write",
  run: async (calling, call) => {
    const named = namedArguments(call, "id" in call.kwargs ? ["object", "id"] : ["object", "ids"]);
    const name = parsedAs(object, named.object, ["object"]);
    const given = parsedAs(z.union([id, ids]), named.id ?? named.ids, ["ids"]);
    return { deleted: await writerOf(calling).remove(name, Array.isArray(given) ? given : [given]) };
  },
};

export const recordMethods: Readonly<Record<string, Method>> = {
  "records.create": create,
  "records.update": update,
  "records.delete": remove,
};
