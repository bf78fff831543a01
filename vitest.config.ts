import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/architecture/fixtures/**", "test/browser/**"],
    globalSetup: ["test/setup/start-platform.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A test that fails under load is a finding, not a flake to be retried.
    retry: 0,
  },
});
