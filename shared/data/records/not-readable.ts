import { Fault } from "#shared/foundation/faults";

const codes: ReadonlySet<string> = new Set(["record_not_found", "object_not_found", "forbidden", "reserved_object"]);

/** Whether reading a record has failed because it does not exist for the caller. */
export const isNotReadable = (error: unknown): error is Fault => error instanceof Fault && codes.has(error.code);
