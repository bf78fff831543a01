import { setTimeout } from "node:timers/promises";
import type { connect } from "../../../connection/platform.ts";
import { path } from "../../../connection/request.ts";
import type { ObjectSchema } from "../../../data/typed.ts";
import { Failure } from "../../../failure.ts";
import { remark, warn } from "../../../terminal/terminal.ts";

type Field = ObjectSchema["properties"][string];
type Call = Awaited<ReturnType<typeof connect>>["call"];

const POLL_MS = 500;

const read = async (call: Call, object: string, field: string): Promise<Field | undefined> => {
  const { body } = await call({ method: "GET", path: path`/v1/schema/${object}`, repeatable: true });
  return (body as ObjectSchema).properties[field];
};

/** Says whether the index of a changed field is there, and waits for it if asked. Fails if it cannot be built. */
export const followIndex = async (
  call: Call,
  object: string,
  changed: Field,
  { wait }: { readonly wait?: boolean },
): Promise<void> => {
  let field: Field | undefined = changed;
  if (field.index_status === "building" && wait !== true)
    return warn("Its index is being built. Until it is ready, filters are slow and values are not unique.");
  while (field?.index_status === "building") {
    remark("Its index is being built …");
    await setTimeout(POLL_MS);
    field = await read(call, object, changed.api_name);
  }
  if (field?.index_status === "failed") throw new Failure("refused", `Its index was not built: ${field.index_failure}`);
};
