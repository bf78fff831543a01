import { defineConfig } from "vitest/config";

/** Tests of functions alone. They need no platform, mock no module and change nothing that another file reads. */
const pure = [
  "test/domains/data/{access,schema}/*.test.ts",
  "test/domains/data/records/{field-values,indexes}.test.ts",
  "test/domains/data/query/{parse,compile,cursor,did-you-mean,reference-page}.test.ts",
  "test/domains/identity/{lockout,slug,totp,password-policy}.test.ts",
  "test/domains/openapi/*.test.ts",
  "test/domains/sandboxes/*.test.ts",
  "test/domains/messaging/status.test.ts",
  "test/domains/tenant/bounded-cache.test.ts",
  "test/runner/*.test.ts",
  "test/infra/{alarms,endpoint,files,permissions,settings,stacks,tls}.test.ts",
];

/** They mock modules, set environment variables that imported code reads, or measure this process. */
const isolated = [
  "test/domains/**/*.test.ts",
  "test/infra/**/*.test.ts",
  "test/local/lambda.test.ts",
  "test/local/mongo/{limits,turns}.test.ts",
  "test/endpoints/records/sealed-values.test.ts",
];

/** Tests of what password hashes cost, and of how long answers take: on a platform with the costs of production. */
const production = ["test/endpoints/identity/{timing,password-hashes}.test.ts"];

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    // Limits end what hangs. They are far from what a busy machine needs.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // A test that fails under load is a finding, not a flake to be retried.
    retry: 0,
    projects: [
      { extends: true, test: { name: "pure", include: pure, isolate: false } },
      {
        extends: true,
        test: {
          name: "platform",
          include: ["test/{architecture,cli,endpoints,local}/**/*.test.ts"],
          exclude: ["test/architecture/fixtures/**", ...isolated, ...production],
          isolate: false,
          globalSetup: ["test/setup/start-platform.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "isolated",
          include: isolated,
          exclude: pure,
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
