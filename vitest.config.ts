import { defineConfig } from "vitest/config";

const endpoints = "test/endpoints/identity";
/** Tests of what password hashes cost, and of how long answers take. */
const production = [`${endpoints}/timing.test.ts`, `${endpoints}/password-hashes.test.ts`];

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A test that fails under load is a finding, not a flake to be retried.
    retry: 0,
    projects: [
      {
        extends: true,
        test: {
          name: "platform",
          include: ["test/**/*.test.ts"],
          exclude: ["test/architecture/fixtures/**", "test/browser/**", ...production],
          globalSetup: ["test/setup/start-platform.ts"],
        },
      },
      {
        extends: true,
        test: { name: "production", include: production, globalSetup: ["test/setup/start-production-platform.ts"] },
      },
    ],
  },
});
