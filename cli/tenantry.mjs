#!/usr/bin/env node
// The command. Plain JavaScript that an old Node can read too: it finds a Node that is new enough, and what to run.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as modules from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const major = Number(process.versions.node.split(".")[0]);
const minor = Number(process.versions.node.split(".")[1]);
const newEnough = major > 24 || (major === 24 && minor >= 11);

/** The Node that npm has installed beside the platform, whichever one is on the PATH. */
const ownNode = () => {
  const system = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${system}-${process.arch}`;
  for (let folder = here; ; folder = dirname(folder)) {
    const path = join(folder, "node_modules", name, "bin", "node");
    if (existsSync(path)) return path;
    if (folder === dirname(folder)) return undefined;
  }
};

const runWith = (node) => {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  // The terminal sends its signals to both; the one that does the work decides what they mean.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("exit", (code, signal) => {
    if (signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    } else process.exit(code);
  });
};

const fail = (sentence) => {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
};

const run = async () => {
  if (!newEnough) {
    const node = process.env.TENANTRY_NODE_FOUND ? undefined : ownNode();
    process.env.TENANTRY_NODE_FOUND = "1";
    if (node) return runWith(node);
    return fail(
      `tenantry needs Node 24.11 or later, and this is Node ${process.versions.node}: install it from https://nodejs.org.`,
    );
  }
  delete process.env.TENANTRY_NODE_FOUND;
  modules.enableCompileCache();
  // Node runs TypeScript everywhere but under node_modules: an installed package has the bundle.
  const installed = here.split(/[\\/]/).includes("node_modules");
  const source = join(here, "main.ts");
  const bundle = join(here, "dist", "main.mjs");
  if (!installed && existsSync(source)) return (await import("./main.ts")).main();
  if (existsSync(bundle)) return (await import("./dist/main.mjs")).main();
  return fail("This copy of tenantry was packed without its bundle: run npm pack where esbuild is installed.");
};

await run();
