import { randomInt } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Runs every part in this folder: `npm run fuzz`, or only the named ones, `npm run fuzz -- queries`. A part exports
 * `fuzz(seed)` and raises its findings. The seed is printed; `SEED=… npm run fuzz` repeats a run.
 */
const wanted = process.argv.slice(2);
const files = (await readdir(import.meta.dirname)).filter((file) => file.endsWith(".ts") && file !== "fuzz.ts").sort();
const parts = files.map((file) => file.slice(0, -3)).filter((part) => wanted.length === 0 || wanted.includes(part));
const seed = Number(process.env.SEED ?? randomInt(2 ** 31));

for (const part of parts) {
  console.log(`${part}: seed ${seed}`);
  const { fuzz } = (await import(join(import.meta.dirname, `${part}.ts`))) as { fuzz(seed: number): Promise<void> };
  const start = performance.now();
  await fuzz(seed);
  console.log(`${part}: nothing found in ${((performance.now() - start) / 1000).toFixed(0)} s`);
}
