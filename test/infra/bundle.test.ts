import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { KMSClient } from "@aws-sdk/client-kms";
import { build } from "esbuild";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { defaultProvider } from "#shared/foundation/aws/credentials";
import { buildOptions, bundleFunctions, handlerFiles } from "../../infra/bundle.ts";

const bundles = await bundleFunctions();

test("every file in functions is a bundle of its own", () => {
  expect([...bundles.keys()]).toEqual(handlerFiles());
});

describe("the code of a function", () => {
  // All entries lie beside the chunks of all, so that a chunk of several functions is evaluated once.
  const together = mkdtempSync(resolve("node_modules/.cache/tenantry-loaded-"));
  const entryOf = (handler: string): string => join(together, `${handler.replaceAll("/", "-")}.mjs`);
  for (const [handler, { directory }] of bundles) {
    for (const name of readdirSync(directory)) {
      const target = name === "index.mjs" ? entryOf(handler) : join(together, name);
      if (!existsSync(target)) copyFileSync(join(directory, name), target);
    }
  }
  afterAll(() => rmSync(together, { recursive: true }));

  test.each(handlerFiles())("of %s loads, and exports a handler", async (handler) => {
    expect(await import(entryOf(handler))).toMatchObject({ handler: expect.any(Function) });
  });
});

const REFERENCE_SCRIPT = /^reference-[0-9a-f]{16}\.js\.gz$/;

test("a directory holds what its function can import or start as a thread and nothing else, and its size is stated", () => {
  for (const [handler, { directory, bytes }] of bundles) {
    const names = readdirSync(directory).filter((name) => !REFERENCE_SCRIPT.test(name));
    const sources = names.map((name) => readFileSync(join(directory, name), "utf8"));
    const imported = sources.flatMap((source) =>
      [...source.matchAll(/(?:(?:from|import)\s*\(?|(?=".\/[\w.]+\.thread\.mjs"))"\.\/([^"]+)"/g)].map((m) => m[1]),
    );
    expect(names.toSorted(), handler).toEqual([...new Set(["index.mjs", ...imported])].toSorted());
    expect(names.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)).toBe(bytes);
  }
});

test("the script of the API reference is only in the bundle of the function that serves it", () => {
  const beside = [...bundles].filter(([, { directory }]) =>
    readdirSync(directory).some((name) => REFERENCE_SCRIPT.test(name)),
  );
  expect(beside.map(([handler]) => handler)).toEqual(["functions/http/platform/get-docs-asset.ts"]);
});

test("the largest bundle of a route stays below 2.85 MB, and what a cold start reads of one below 1.3 MB", () => {
  // The thread that renders templates is 0.3 MB of the largest, which also sends email. No cold start reads it.
  const all = [...bundles].flatMap(([handler, bundle]) => (handler.startsWith("functions/http/") ? [bundle] : []));
  expect(Math.max(...all.map(({ coldBytes }) => coldBytes))).toBeLessThan(1_300_000);
  expect(Math.max(...all.map(({ bytes }) => bytes))).toBeLessThan(2_850_000);
});

test("the numbering plans of telephone numbers are in the functions that write records or send SMS, which load them when needed", () => {
  const holds = ({ directory }: { directory: string }): boolean =>
    readdirSync(directory).some((name) => readFileSync(join(directory, name), "utf8").includes("INVALID_COUNTRY"));
  const handlers = [...bundles].filter(([, bundle]) => holds(bundle));
  const writers = ["create-records", "delete-record", "delete-records", "update-record", "update-records"];
  expect(handlers.map(([handler]) => handler)).toEqual([
    "functions/http/automation/call-context.ts",
    "functions/http/automation/replay-execution.ts",
    "functions/http/automation/run-automation.ts",
    "functions/http/documents/upload-document.ts",
    "functions/http/public/run-public-automation.ts",
    ...writers.map((name) => `functions/http/records/${name}.ts`),
    "functions/http/sandbox/push-sandbox-app.ts",
    "functions/operations/migrate.ts",
    "functions/queue/automation.ts",
    "functions/queue/deliver-message.ts",
    "functions/schedule/reconcile-executions.ts",
    "functions/schedule/reconcile-schedules.ts",
    "functions/schedule/run-scheduled.ts",
  ]);
  for (const [handler, { bytes, coldBytes }] of handlers) expect(bytes - coldBytes, handler).toBeGreaterThan(100_000);
});

describe("the credentials of a function's role", () => {
  afterEach(() => vi.unstubAllEnvs());
  const variables = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret", AWS_SESSION_TOKEN: "token" };

  test("come from the environment, where the SDK's own chain finds them first too", async () => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    const { accessKeyId, secretAccessKey, sessionToken } = await new KMSClient({
      region: "eu-central-1",
    }).config.credentials();
    expect(await defaultProvider()()).toEqual({ accessKeyId, secretAccessKey, sessionToken });
  });

  test("are reported by name if they are missing", async () => {
    for (const name of Object.keys(variables)) vi.stubEnv(name, "");
    await expect(defaultProvider()()).rejects.toThrow("AWS_ACCESS_KEY_ID");
  });

  test("come from no other source: no bundle contains the SDK's chain", () => {
    for (const [handler, { directory }] of bundles) {
      const texts = readdirSync(directory).map((name) => readFileSync(join(directory, name), "utf8"));
      expect(
        texts.some((text) => text.includes("AWS_CONTAINER_CREDENTIALS")),
        handler,
      ).toBe(false);
    }
  });
});

test("the same sources give the same hashes, also in two concurrent runs", async () => {
  const again = await Promise.all([bundleFunctions(), bundleFunctions()]);
  for (const run of again) expect(run).toEqual(bundles);
  for (const { directory } of bundles.values()) expect(existsSync(directory)).toBe(true);
});

describe("Node's URL instead of the driver's own parses the same", async () => {
  const parser = async (name: string, alias: Record<string, string>) => {
    const outfile = resolve(`node_modules/.cache/tenantry-connection-strings/${name}.mjs`);
    await build({
      ...buildOptions,
      alias,
      splitting: false,
      write: true,
      outfile,
      stdin: { contents: 'export { default } from "mongodb-connection-string-url"', resolveDir: process.cwd() },
    });
    const { default: ConnectionString } = await import(outfile);
    return (uri: string) => {
      try {
        const parsed = new ConnectionString(uri);
        const { hosts, username, password, pathname, search, isSRV, href, searchParams } = parsed;
        const options = [...searchParams.keys()].map((key) => [key, searchParams.getAll(key.toUpperCase())]);
        return { hosts, username, password, pathname, search, isSRV, href, options, redacted: parsed.redact().href };
      } catch {
        return "refused";
      }
    };
  };
  const ours = await parser("ours", buildOptions.alias);
  const theirs = await parser("theirs", {});

  test.each([
    "mongodb://localhost",
    "mongodb://127.0.0.1:27017/?directConnection=true&replicaSet=rs0",
    "mongodb://a.test:1,b.test:2,c.test/base?authSource=admin&w=majority",
    "mongodb://us%40er:p%2Fa%3Ass%20w%C3%B6rd@a.test,b.test/?tls=true",
    "mongodb+srv://endpoints:secret@cluster0.ab1cd.mongodb.net/?retryWrites=true&appName=tenantry",
    "mongodb://[::1]:27017/base",
    "mongodb://%2Ftmp%2Fmongodb-27017.sock/base",
    "mongodb://user:pa:ss@a.test",
    "mongodb://a.test:99999",
    "mongodb+srv://a.test:27017",
    "http://a.test",
    "mongodb://",
  ])("reads %s as it did", (uri) => {
    expect(ours(uri)).toEqual(theirs(uri));
  });

  test("and refuses the same", () => {
    expect(["http://a.test", "mongodb://", "mongodb+srv://a.test:1"].map(ours)).toEqual([
      "refused",
      "refused",
      "refused",
    ]);
    expect(ours("mongodb://a.test,b.test/?W=1")).toMatchObject({
      hosts: ["a.test", "b.test"],
      options: [["W", ["1"]]],
    });
  });
});
