import type { ExecutionError, Outcome } from "./outcome.ts";

/** What callers are told of a failure, as functions report their own ones by convention. */
export interface FailureAnswer {
  readonly status: "error";
  readonly message: string;
  readonly error_type: string;
}

/** The exception's name; of other failures the kind, such as `timeout`. */
const typeOf = ({ kind, type }: ExecutionError): string => (kind === "exception" ? type : kind);

/** What the function returned, or why it returned nothing. */
export const answerOf = ({ output, error }: Outcome): unknown | FailureAnswer =>
  error === undefined ? output : { status: "error", message: error.message, error_type: typeOf(error) };
