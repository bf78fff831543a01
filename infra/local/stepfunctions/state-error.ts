/** A failure that Retry and Catch may match. */
export class StateError extends Error {
  readonly error: string;
  readonly reason: string | undefined;
  constructor(error: string, reason?: string) {
    super(`${error}: ${reason ?? ""}`);
    this.error = error;
    this.reason = reason;
  }
}

/** A failure of the definition on its data. Neither Retry nor Catch matches it. */
export const runtimeError = (reason: string): StateError => new StateError("States.Runtime", reason);

/** The rules of https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html */
export const matchesError = (names: readonly string[], { error }: StateError): boolean => {
  if (error === "States.Runtime") return false;
  if (names.includes(error)) return true;
  if (error === "States.DataLimitExceeded") return false;
  return names.includes("States.ALL") || (names.includes("States.TaskFailed") && error !== "States.Timeout");
};

const largestPayload = 262_144;

/** The JSON of a payload. @throws StateError if it is larger than 256 KiB */
export const payload = (value: unknown, what: string): string => {
  const text = JSON.stringify(value) ?? "null";
  if (isTooLarge(text)) {
    throw new StateError("States.DataLimitExceeded", `${what} is larger than ${largestPayload} bytes.`);
  }
  return text;
};

export const isTooLarge = (text: string): boolean =>
  text.length > largestPayload / 3 && Buffer.byteLength(text) > largestPayload;
