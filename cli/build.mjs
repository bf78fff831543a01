// `npm pack` runs it: the command line as a bundle in cli/dist. A clone runs the TypeScript itself, and needs no bundle.
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const here = import.meta.dirname;
const outdir = process.argv[2] ?? join(here, "dist");

await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints: [join(here, "main.ts")],
  outdir,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node24.11",
  mainFields: ["module", "main"],
  minify: true,
  legalComments: "linked",
  logLevel: "warning",
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
});

// `tenantry function run --local` runs code as the platform does.
const runner = join(here, "../functions/runner");
await cp(runner, join(outdir, "runner"), {
  recursive: true,
  filter: (path) => path === runner || path.endsWith(".py"),
});
