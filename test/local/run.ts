import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Platform, type PlatformOptions, startPlatform } from "../../infra/local/platform.ts";
import type { PlatformLog } from "../../infra/local/services.ts";

type Options = Partial<Omit<PlatformOptions, "templates">>;

export interface Running extends Platform {
  readonly entries: PlatformLog[];
}

export const temporaryDirectory = (): string => mkdtempSync(join(tmpdir(), "tenantry-local-"));

/** A file for which handlers wait, so that they end when the test lets them. */
export const gate = (): { readonly path: string; readonly open: () => void } => {
  const path = join(temporaryDirectory(), "open");
  return { path, open: () => writeFileSync(path, "") };
};

/** Runs templates (by stack name) without a database. The caller stops it. */
export const run = async (templates: Readonly<Record<string, unknown>>, options: Options = {}): Promise<Running> => {
  const entries: PlatformLog[] = [];
  const platform = await startPlatform({
    templates: new Map(Object.entries(templates)),
    dataDir: temporaryDirectory(),
    port: 0,
    mongoUri: "mongodb://127.0.0.1:9/",
    log: (entry) => entries.push(entry),
    ...options,
  });
  return { ...platform, entries };
};

/** Runs templates until the test has finished, then removes the data. */
export const runForTest = async (
  templates: Readonly<Record<string, unknown>>,
  options: Options = {},
): Promise<Running> => {
  const platform = await run(templates, options);
  onTestFinished(async () => {
    await platform.stop();
    rmSync(platform.dataDir, { recursive: true, force: true });
  });
  return platform;
};

/** The settings of an SDK client for an operator of the platform. */
export const sdkSettings = ({ awsEndpoint, credentials }: Platform) => ({
  endpoint: awsEndpoint,
  region: "us-east-1",
  credentials,
  maxAttempts: 1,
});
