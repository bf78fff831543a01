import { exitCodes, Failure } from "../failure.ts";
import type { Json } from "../json.ts";
import type { Row } from "./rows.ts";

export interface RowFailure {
  readonly row: Row;
  /** One line for each issue. */
  readonly message: string;
}

export interface Outcome {
  /** The platform's records for the rows that were written, in the order of the rows. */
  readonly written: readonly Json[];
  readonly failures: readonly RowFailure[];
  /** The error that ended the work early. */
  readonly fatal: unknown;
  /** The number of rows that were not tried. */
  readonly untried: number;
}

interface Work {
  readonly rows: readonly Row[];
  /** Rows of one request. */
  readonly size: number;
  /** Concurrent requests. */
  readonly parallel: number;
  /** Writes all rows or none, and gives one record for each. */
  readonly write: (rows: readonly Row[]) => Promise<readonly Json[]>;
  readonly onProgress: (rows: number) => void;
  readonly signal: AbortSignal;
}

/** Below the platform's limit of 1 MiB. */
const MAX_BYTES = 900_000;

/** Splits the rows into requests that the platform accepts. */
const batchesOf = function* (rows: readonly Row[], size: number): Generator<readonly Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    const weight = Buffer.byteLength(JSON.stringify(row.record)) + 1;
    if (batch.length > 0 && (batch.length === size || bytes + weight > MAX_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(row);
    bytes += weight;
  }
  if (batch.length > 0) yield batch;
};

/** Index in the batch → issues of that row. Undefined if the refusal is not about single rows. */
const blamed = ({ details }: Failure): Map<number, string> | undefined => {
  const found = new Map<number, string>();
  for (const { loc, msg } of details.issues ?? []) {
    const [, index, ...field] = loc;
    if (loc[0] !== "body" || typeof index !== "number") return undefined;
    const message = field.length > 0 ? `${field.join(".")}: ${msg}` : msg;
    found.set(index, found.has(index) ? `${found.get(index)}\n${message}` : message);
  }
  return found.size > 0 ? found : undefined;
};

/** Refusals caused by an unnamed row of the batch. */
const isAboutSome = ({ details: { status, code } }: Failure): boolean =>
  status === 409 || status === 413 || code === "record_not_found";

/** A batch is written as a whole or not at all, so refused rows are removed and the others are sent again. */
export const writeInBatches = async (work: Work): Promise<Outcome> => {
  const written = new Map<Row, Json>();
  const failures: RowFailure[] = [];
  let fatal: unknown;
  let stopped = false;
  const fail = (row: Row, message: string): void => {
    failures.push({ row, message });
    work.onProgress(1);
  };
  const write = async (rows: readonly Row[]): Promise<void> => {
    if (rows.length === 0 || stopped) return;
    try {
      const answers = await work.write(rows);
      for (const [index, row] of rows.entries()) written.set(row, answers[index] ?? {});
      work.onProgress(rows.length);
    } catch (error) {
      if (!(error instanceof Failure) || error.exitCode !== exitCodes.refused) throw error;
      await writeOthers(rows, error);
    }
  };
  const writeOthers = async (rows: readonly Row[], refusal: Failure): Promise<void> => {
    const wrong = blamed(refusal);
    if (wrong) {
      for (const [index, message] of wrong) {
        const row = rows[index];
        if (row) fail(row, message);
      }
      return write(rows.filter((_, index) => !wrong.has(index)));
    }
    if (!isAboutSome(refusal)) throw refusal;
    const [only] = rows;
    if (rows.length === 1 && only) return fail(only, refusal.message);
    const half = Math.ceil(rows.length / 2);
    await write(rows.slice(0, half));
    await write(rows.slice(half));
  };
  const queue = batchesOf(work.rows, work.size);
  const worker = async (): Promise<void> => {
    // The workers share one generator, so that each batch goes to one of them.
    for (let next = queue.next(); !next.done && !stopped; next = queue.next()) {
      try {
        await write(next.value);
      } catch (error) {
        fatal ??= error;
        stopped = true;
      }
    }
  };
  work.signal.addEventListener("abort", () => {
    stopped = true;
  });
  await Promise.all(Array.from({ length: work.parallel }, worker));
  return {
    written: work.rows.map((row) => written.get(row)).filter((record) => record !== undefined),
    failures: failures.sort((a, b) => a.row.place - b.row.place),
    fatal,
    untried: work.rows.length - written.size - failures.length,
  };
};
