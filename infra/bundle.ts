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
  /** Absolute; holds `index.mjs` and the chunks that it imports, and nothing else. */
  readonly directory: string;
  /** Of the contents: it changes if and only if what is deployed changes. */
  readonly hash: string;
  /** Of the entry and of every chunk that it can come to import. */
  readonly bytes: number;
}

/** Handler path, such as `functions/http/identity/login.ts` → its bundle. */
export type Bundles = ReadonlyMap<string, Bundle>;

const root = dirname(import.meta.dirname);
const cache = join(root, "node_modules", ".cache", "tenantry-bundles");
/** Files beside the code of a handler: handler → their paths. They are named by their contents. */
const assets: Readonly<Record<string, () => readonly string[]>> = {
  "functions/http/platform/get-docs-asset.ts": () => [compressedReferenceScript(join(cache, "assets"))],
};

const keptForMilliseconds = 7 * 24 * 60 * 60 * 1000;

/** How every handler is compiled. */
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
    // The driver's parser of connection strings brings a URL implementation of its own, 280 KB of it tables; Node's follows
    // the same standard.
    "whatwg-url": "node:url",
    "@aws-sdk/credential-provider-node": join(root, "shared/foundation/aws/credentials.ts"),
  },
  minify: true,
  legalComments: "none",
  // CommonJS packages call `require` for Node's own modules. The minifier does not see the banner: a short name would
  // collide with one of its own.
  banner: {
    js: 'import{createRequire as createRequireOfBundle}from"node:module";const require=createRequireOfBundle(import.meta.url);',
  },
  metafile: true,
  write: false,
  logLevel: "silent",
} as const satisfies BuildOptions;

/** Every file in `functions` is the handler of one Lambda. */
export const handlerFiles = (): string[] => globSync("functions/**/*.ts", { cwd: root }).sort();

/**
 * Bundles all handlers in one run, so that what they share is compiled once, and lays out a directory for each.
 *
 * Directories are named by their contents and made in one move: several runs at the same time do not disturb each other,
 * and a platform that is running keeps its files.
 * @throws the error of esbuild, with every place, if a handler does not compile
 */
export const bundleFunctions = async (): Promise<Map<string, Bundle>> => {
  const handlers = handlerFiles();
  if (handlers.length === 0) return new Map();
  const { outputFiles, metafile } = await build({
    ...buildOptions,
    // One flat directory: the relative imports of an entry stay right wherever the entry and its chunks are put together.
    entryPoints: Object.fromEntries(handlers.map((handler) => [entryName(handler), handler])),
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

/** The outputs that a function can come to load: its entry first, then its chunks. */
const reachable = (entry: string, { outputs }: Metafile): string[] => {
  const found = new Set([entry]);
  for (const output of found) {
    for (const { path, external } of outputs[output]?.imports ?? []) if (!external) found.add(path);
  }
  return [...found];
};

const layOut = (handler: string, files: ReadonlyMap<string, OutputFile>, metafile: Metafile): Bundle => {
  const paths = reachable(`bundle/${entryName(handler)}.mjs`, metafile);
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
  return { directory, hash, bytes: parts.reduce((sum, { file }) => sum + file.contents.byteLength, 0) };
};

/** Where the contents of an output lie once, to be linked from each function that uses them. */
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
