import { createHash, randomUUID } from "node:crypto";
import {
  existsSync,
  globSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { type BuildOptions, build, type Metafile, type OutputFile } from "esbuild";
import { compressedReferenceScript } from "./reference-script.ts";

export interface Bundle {
  /** Absolute. Holds `index.mjs` and the chunks that it imports. */
  readonly directory: string;
  /** A hash of the contents. */
  readonly hash: string;
  /** The size of the entry and of all chunks that it may import. */
  readonly bytes: number;
  /** The part of `bytes` that a cold start reads: without what is imported only when it is needed. */
  readonly coldBytes: number;
}

/** Handler path, such as `functions/http/identity/login.ts` → its bundle. */
export type Bundles = ReadonlyMap<string, Bundle>;

const root = dirname(import.meta.dirname);
const cache = join(root, "node_modules", ".cache", "tenantry-bundles");
/** Files to put beside the code of a handler: handler → their paths. Their names contain a hash. */
const assets: Readonly<Record<string, () => readonly string[]>> = {
  "functions/http/platform/get-docs-asset.ts": () => [compressedReferenceScript(join(cache, "assets"))],
};

const keptForMilliseconds = 7 * 24 * 60 * 60 * 1000;

/** The compiler options for all handlers. */
export const buildOptions = {
  absWorkingDir: root,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node24",
  mainFields: ["module", "main"],
  alias: {
    // The driver's parser of connection strings has its own URL implementation with 280 KB of tables. Node's follows
    // the same standard.
    "whatwg-url": "node:url",
    "@aws-sdk/credential-provider-node": join(root, "shared/foundation/aws/credentials.ts"),
  },
  minify: true,
  legalComments: "none",
  // CommonJS packages call `require` for Node's own modules. The minifier does not see the banner, so the name is a
  // long one that it cannot generate.
  banner: {
    js: 'import{createRequire as createRequireOfBundle}from"node:module";const require=createRequireOfBundle(import.meta.url);',
  },
  metafile: true,
  write: false,
  logLevel: "silent",
} as const satisfies BuildOptions;

/** What runs in threads of its own: `<name>.thread.ts` is started by `<name>.ts` beside it. */
const threadFiles = (): string[] => globSync("shared/**/*.thread.ts", { cwd: root }).sort();

/** Every file in `functions` is the handler of one Lambda. */
export const handlerFiles = (): string[] => globSync("functions/**/*.ts", { cwd: root }).sort();

/**
 * Bundles all handlers in one run, so that shared code is compiled once, and creates a directory for each.
 *
 * Directories are named by a hash of their contents and created atomically, so that concurrent runs and running
 * platforms are not disturbed. @throws esbuild's error with all positions if a handler does not compile
 */
export const bundleFunctions = async (): Promise<Map<string, Bundle>> => {
  const handlers = handlerFiles();
  if (handlers.length === 0) return new Map();
  const { outputFiles, metafile } = await build({
    ...buildOptions,
    // One flat directory, so that the relative imports between an entry and its chunks stay valid.
    entryPoints: Object.fromEntries([
      ...handlers.map((handler) => [entryName(handler), handler]),
      ...threadFiles().map((thread) => [basename(thread, ".ts"), thread]),
    ]),
    outdir: "bundle",
  });
  const files = new Map(outputFiles.map((file) => [relative(root, file.path), file]));
  forgetOld();
  return new Map(handlers.map((handler) => [handler, layOut(handler, files, metafile)]));
};

const entryName = (handler: string): string =>
  handler
    .replace(/^functions\//, "")
    .replace(/\.ts$/, "")
    .replaceAll("/", "-");

/** The outputs that a function may load, with its entry first. */
const reachable = (entry: string, { outputs }: Metafile, isCounted = (_kind: string): boolean => true): string[] => {
  const found = new Set([entry]);
  for (const output of found) {
    for (const { path, external, kind } of outputs[output]?.imports ?? [])
      if (!external && isCounted(kind)) found.add(path);
  }
  return [...found];
};

/** The entries of the threads that these outputs may start. They find them beside themselves, by name. */
const threadsOf = (paths: readonly string[], { outputs }: Metafile): string[] => {
  const sources = new Set(paths.flatMap((path) => Object.keys(outputs[path]?.inputs ?? {})));
  return threadFiles()
    .filter((thread) => sources.has(thread.replace(/\.thread\.ts$/, ".ts")))
    .map((thread) => `bundle/${basename(thread, ".ts")}.mjs`);
};

const layOut = (handler: string, files: ReadonlyMap<string, OutputFile>, metafile: Metafile): Bundle => {
  const entry = `bundle/${entryName(handler)}.mjs`;
  const own = reachable(entry, metafile);
  const threads = threadsOf(own, metafile).flatMap((thread) => reachable(thread, metafile));
  const paths = [...new Set([...own, ...threads])];
  const cold = reachable(entry, metafile, (kind) => kind !== "dynamic-import");
  const parts = paths.map((path, index) => {
    const file = files.get(path);
    if (!file) throw new Error(`esbuild did not write ${path}, which ${handler} imports`);
    return { name: index === 0 ? "index.mjs" : basename(path), file };
  });
  const digest = createHash("sha256");
  for (const { name, file } of parts.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    digest.update(`${name}\0${file.hash}\0`);
  const beside = assets[handler]?.() ?? [];
  for (const path of beside) digest.update(`${basename(path)}\0`);
  const hash = digest.digest("hex");
  const directory = join(cache, `${entryName(handler)}-${hash.slice(0, 16)}`);
  if (!existsSync(directory)) {
    const draft = join(cache, `draft-${randomUUID()}`);
    mkdirSync(draft, { recursive: true });
    for (const { name, file } of parts) linkSync(stored(file), join(draft, name));
    for (const path of beside) linkSync(path, join(draft, basename(path)));
    moveInto(draft, directory);
  }
  const sizeOf = (some: readonly string[]): number =>
    some.reduce((sum, path) => sum + (files.get(path)?.contents.byteLength ?? 0), 0);
  return { directory, hash, bytes: sizeOf(paths), coldBytes: sizeOf(cold) };
};

/** Each output is stored once here, and hard-linked from each function that uses it. */
const stored = (file: OutputFile): string => {
  const name = createHash("sha256").update(file.hash).update(basename(file.path)).digest("hex").slice(0, 32);
  const path = join(cache, "files", name);
  if (existsSync(path)) return path;
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, file.contents);
  renameSync(draft, path);
  return path;
};

const moveInto = (draft: string, directory: string): void => {
  try {
    renameSync(draft, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
    rmSync(draft, { recursive: true, force: true });
  }
};

const forgetOld = (): void => {
  if (!existsSync(cache)) return;
  const limit = Date.now() - keptForMilliseconds;
  for (const folder of [cache, join(cache, "files")]) {
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (name !== "files" && name !== "assets" && statSync(path).mtimeMs < limit)
        rmSync(path, { recursive: true, force: true });
    }
  }
};
