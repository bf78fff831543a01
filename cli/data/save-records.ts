import type { Platform } from "../connection/platform.ts";
import { path } from "../connection/request.ts";
import { isObject } from "../json.ts";
import type { Row, Rows } from "./rows.ts";
import { showSingle, type WriteOptions, writeAll } from "./write-records.ts";

interface Saving {
  readonly platform: Platform;
  readonly object: string;
  readonly rows: Rows;
  readonly method: "POST" | "PATCH";
  /** The verb of the report: `created`. */
  readonly verb: string;
  /** For each request with a batch. */
  readonly headersOf?: (rows: readonly Row[]) => Record<string, string>;
}

/** Creates or changes records in batches that are safe to repeat, and reports the result. */
export const saveRecords = async (saving: Saving, options: WriteOptions): Promise<void> => {
  const { platform, object, rows, method, verb, headersOf } = saving;
  const write = async (some: readonly Row[]) => {
    const { body } = await platform.call({
      method,
      path: path`/v1/object/${object}`,
      json: some.map(({ record }) => record),
      ...(headersOf && { headers: headersOf(some) }),
      retries: 5,
      repeatable: true,
    });
    return (Array.isArray(body) ? body : [body]).filter(isObject);
  };
  const outcome = await writeAll({ platform, rows, verb, write }, options);
  if (rows.single) await showSingle(outcome, options);
};
