import { setTimeout } from "node:timers/promises";
import { httpClient } from "../setup/http-client.ts";
import type { LaunchedPlatform } from "../setup/launch-platform.ts";
import { median } from "./measure.ts";
import { line } from "./print.ts";

const ITEMS = 1_000;
const BATCH = 500;
const MINUTE = 60_000;
/** Until the first one is due, so that all are written before. */
const LEAD_MS = 30_000;
const PATIENCE_MS = 180_000;

interface Change {
  readonly status: string;
  readonly at: string;
}

interface Item {
  readonly run_date_time: string;
  readonly status: string;
  readonly status_history: readonly Change[];
}

const over = new Set(["Completed", "Failed"]);

/** 1,000 scheduled items of one organization that are due in one minute. */
export const benchSchedules = async ({ url }: LaunchedPlatform["access"]): Promise<void> => {
  const http = httpClient(url);
  const { body: registered } = await http.post("/v1/register", {
    body: { organization_name: "Schedules", email: "schedules@example.test", password: "correct horse battery staple" },
    expect: 201,
  });
  const token: string = registered.access_token;
  const code = "async def execute(platform, **kwargs):\n    return kwargs\n";
  const record = { name: "Echo", file_name: "echo.py", code };
  const { body: made } = await http.post("/v1/object/function", { token, body: record, expect: 201 });
  const begin = Date.now() + LEAD_MS;
  const dueOf = (index: number): string => new Date(begin + (index * MINUTE) / ITEMS).toISOString();
  const items = Array.from({ length: ITEMS }, (_, index) => ({
    name: `${index}`,
    run_date_time: dueOf(index),
    function: made.id,
    data: { index },
  }));
  const start = performance.now();
  for (let from = 0; from < ITEMS; from += BATCH)
    await http.post("/v1/object/scheduled_item", { token, body: items.slice(from, from + BATCH), expect: 201 });
  const written = performance.now() - start;

  let found: Item[] = [];
  for (const end = begin + MINUTE + PATIENCE_MS; Date.now() < end; await setTimeout(2_000)) {
    const query = { limit: "1000" };
    found = (await http.get("/v1/object/scheduled_item", { token, query, expect: 200 })).body;
    if (found.every(({ status }) => over.has(status))) break;
  }
  const waits = found.flatMap(({ run_date_time, status_history }) =>
    status_history
      .filter(({ status }) => status === "Running")
      .map(({ at }) => Date.parse(at) - Date.parse(run_date_time)),
  );
  const completed = found.filter(({ status }) => status === "Completed").length;
  const sorted = waits.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  const last = Math.max(...found.map(({ status_history }) => Date.parse(status_history.at(-1)?.at ?? ""))) - begin;
  line(`${ITEMS} scheduled items written`, `${(written / 1000).toFixed(1)} s`, "with their schedules");
  line("completed, and begun more than once", `${completed}`, `${waits.length - found.length}`);
  line("from due to begun", `${(median(waits) / 1000).toFixed(2)} s`, `p99 ${(p99 / 1000).toFixed(2)} s`);
  line("from the first due to the last end", `${(last / 1000).toFixed(1)} s`, "due within 60 s");
};
