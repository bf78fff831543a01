import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    chromium: string;
  }
}

/** It connects to the pages only. Any other request must be explained by a test. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

const onPath = (): string | undefined =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path));

const executable = (): string => {
  const named = process.env.CHROMIUM;
  const found = named ?? onPath();
  if (found !== undefined && existsSync(found)) return found;
  throw new Error(
    `The browser tests need Chromium, and there is none ${named ? `at ${named}` : "on the PATH"}: install it (apt-get install chromium) or name yours in the environment variable CHROMIUM.`,
  );
};

/** One Chromium serves the whole run. Every test has its own profile. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const server = await chromium.launchServer({ executablePath: executable(), args: FLAGS });
  project.provide("chromium", server.wsEndpoint());
  return () => server.close();
};
