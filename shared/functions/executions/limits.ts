export const executionLimits = {
  /** Executions within each other, the first included. */
  depth: 5,
  /** Context calls of an execution and of all that it starts. */
  calls: 1_000,
  /** Of one organization at once, without those that other executions start. */
  roots: 20,
  /** A nested execution ends so many milliseconds before the one that waits for it. */
  nestedMargin: 500,
  /** Nothing is started with less time left. */
  leastMilliseconds: 250,
  /** After the deadline, for the answer of the runner and the log record. The capability token dies then. */
  afterDeadline: 5_000,
  /** Of the JSON of inputs, of the arguments of a call and of its result. */
  payloadBytes: 1024 * 1024,
  /** Larger inputs and outputs are cut in the log record. */
  loggedBytes: 64 * 1024,
  /** How long the outcome of a request with an `Idempotency-Key` is kept. As long as the key. */
  keptMilliseconds: 24 * 60 * 60_000,
} as const;
