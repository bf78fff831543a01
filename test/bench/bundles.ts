import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { bundleFunctions } from "../../infra/bundle.ts";
import { median } from "./measure.ts";
import { line } from "./print.ts";

const run = promisify(execFile);

const environment = {
  STAGE: "bench",
  VERSION: "0",
  ISSUER: "http://bench",
  AWS_REGION: "us-east-1",
  REGISTRATION: "open",
};

/** Milliseconds that a fresh process spends in `import()` of the bundle. */
const coldImport = async (directory: string): Promise<number> => {
  const module = pathToFileURL(join(directory, "index.mjs")).href;
  const script = `const s = performance.now(); await import(${JSON.stringify(module)}); console.log(performance.now() - s); process.exit(0)`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { env: environment });
  return Number(stdout.trim().split("\n").at(-1));
};

/** Size and cold import of every bundle. */
export const benchBundles = async (): Promise<void> => {
  const bundles = [...(await bundleFunctions())].sort(([, a], [, b]) => b.bytes - a.bytes);
  const imports: number[] = [];
  for (const [handler, { directory, bytes }] of bundles) {
    const milliseconds = await coldImport(directory);
    imports.push(milliseconds);
    line(handler, `${Math.round(bytes / 1024)} KiB`, `${milliseconds.toFixed(0)} ms`);
  }
  const largest = Math.max(...bundles.map(([, { coldBytes }]) => coldBytes));
  const verdict = largest <= 1_300_000 ? "met" : "missed";
  line("most that a cold start reads of a bundle", `${(largest / 1e6).toFixed(2)} MB`, `target ≤ 1.3 MB ${verdict}`);
  line("cold import, median of all bundles", `${median(imports).toFixed(0)} ms`);
};
