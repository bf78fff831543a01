import { dirname, join, normalize, relative } from "node:path";
import { expect, test } from "vitest";
import { importsOf, sources } from "./sources.ts";

const DATABASE = "infra/local/mongo";

/** The layers of the embedded database. Each imports only itself and those before it. */
const LAYERS = [
  ...["foundation", "values", "arguments", "regex", "expressions", "match", "index", "storage", "execution"],
  ...["transform", "query", "update", "writes", "stages", "commands", "wire"],
];

/** A file beside the folders is above all layers. */
const layerOf = (path: string): number => {
  const [folder, file] = relative(DATABASE, path).split("/");
  return file === undefined ? LAYERS.length : LAYERS.indexOf(folder ?? "");
};

const files = await sources(DATABASE);

test("every folder of the embedded database is a layer, and every layer a folder", () => {
  const folders = new Set(files.map(({ path }) => relative(DATABASE, dirname(path))).filter((folder) => folder !== ""));
  expect([...folders].sort()).toEqual([...LAYERS].sort());
});

test("a layer of the embedded database imports only layers below it", () => {
  const upward = files.flatMap((source) =>
    importsOf(source)
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => normalize(join(dirname(source.path), specifier)))
      .filter((target) => layerOf(target) > layerOf(source.path) || layerOf(target) < 0)
      .map((target) => `${source.path} → ${target}`),
  );
  expect(upward).toEqual([]);
});
