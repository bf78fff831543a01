import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** Test files with properties of which `npm test` runs only a part; see `propertyRuns`. */
const FILES = [
  "test/domains/data/query/agreement.test.ts",
  "test/domains/data/query/paging.test.ts",
  "test/domains/tenant/replaced-copy.test.ts",
  "test/endpoints/access/random-models.test.ts",
  "test/endpoints/query/run-docdb-query-fuzz.test.ts",
  "test/endpoints/sandbox/concurrent.test.ts",
  "test/endpoints/sandbox/failed-executions.test.ts",
  "test/endpoints/sandbox/refresh-under-load.test.ts",
  "test/local/iam.test.ts",
  "test/local/mongo/properties.test.ts",
  "test/local/routes.test.ts",
];

const root = join(import.meta.dirname, "..", "..");

/** The same tests with all their cases. */
export const fuzz = async (seed: number): Promise<void> => {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", ...FILES], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, FUZZ_SEED: String(seed) },
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`A property failed (seed ${seed}).`);
};
