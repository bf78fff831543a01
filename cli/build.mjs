// `npm run prepare`: the command line as a bundle in cli/dist, for packages; a clone runs the TypeScript itself.
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

const esbuild = await import("esbuild").catch(() => undefined);

// `npm ci --omit=dev` is no mistake: a clone does not need the bundle.
if (esbuild === undefined) process.stderr.write("Without esbuild the command line is not bundled.\n");
else {
  const outdir = join(here, "dist");
  await rm(outdir, { recursive: true, force: true });
  await esbuild.build({
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
}
