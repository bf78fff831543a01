import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: ["test/browser/start-chromium.ts", "test/setup/start-platform.ts"],
    pool: "forks",
    maxWorkers: 2,
    // Time limits for hanging tests, far above what a busy machine needs.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    retry: 0,
  },
});
