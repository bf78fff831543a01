import { describe, expect, test } from "vitest";
import { parseSettings } from "../../infra/stacks/settings.ts";

const parse = (context: Record<string, unknown>) => parseSettings(context, "1.2.3");
const certificateArn = "arn:aws:acm:eu-central-1:111122223333:certificate/0a1b2c3d";

test("the settings need no value", () => {
  expect(parse({})).toEqual({
    stage: "dev",
    version: "1.2.3",
    mailSender: "no-reply@tenantry.invalid",
    logRetentionDays: 30,
    registration: "open",
    activeSigningKey: "a",
    signingKeyA: 1,
    signingKeyB: 1,
    throttlingRate: 1000,
    throttlingBurst: 2000,
    contextConcurrency: 0,
    outboundHttp: false,
    localExecutions: "sandboxes",
    scheduledRunConcurrency: 100,
    outboundLoopback: false,
    withoutVendor: "refuse",
    platformMessages: {},
    paymentGraceDays: 14,
    logLevel: "info",
    passwordHashes: "strong",
    retain: true,
  });
});

test("text values from the command line count like those of cdk.json", () => {
  const given = {
    logRetentionDays: "90",
    throttlingRate: "50",
    retain: "false",
    allowedOrigins: "https://a.test, http://localhost:3000",
  };
  expect(parse(given)).toMatchObject({
    logRetentionDays: 90,
    throttlingRate: 50,
    retain: false,
    allowedOrigins: ["https://a.test", "http://localhost:3000"],
  });
});

test("the CDK's own context is not validated", () => {
  const theirs = { "aws:cdk:x": 1, "@aws-cdk/core:y": true, "cli-telemetry": false };
  expect(parse(theirs)).toEqual(parse({}));
});

describe("an error in the settings is named", () => {
  test.each([
    [{ stage: "Prod_1" }, "stage: expected 1 to 12 lowercase letters and digits, the first one a letter"],
    [{ mongodbSecretArn: "tenantry/dev" }, "mongodbSecretArn: expected the full ARN of a secretsmanager secret"],
    [
      { mongodbProvisioningSecretArn: "tenantry/dev" },
      "mongodbProvisioningSecretArn: expected the full ARN of a secretsmanager secret",
    ],
    [
      { domain: "https://api.example.com", certificateArn },
      "domain: expected a bare host name such as api.example.com",
    ],
    [{ domain: "api.example.com" }, "certificateArn: a domain needs the certificate that covers it"],
    [{ certificateArn }, "domain: a certificate is of use only with its domain"],
    [{ hostedZoneId: "Z0123" }, "domain: a hosted zone is of use only with a domain in it"],
    [
      { logRetentionDays: 31 },
      "logRetentionDays: CloudWatch keeps logs for one of these numbers of days: 1, 3, 5, 7, 14, 30",
    ],
    [{ registration: "maybe" }, "registration: Invalid option"],
    [{ activeSigningKey: "c" }, "activeSigningKey: Invalid option"],
    [{ alarmEmail: "ops" }, "alarmEmail: Invalid email address"],
    [{ throttlingRate: "many" }, "throttlingRate: Invalid input: expected number"],
    [
      { allowedOrigins: "*" },
      "allowedOrigins.0: expected an origin as browsers send it, such as https://app.example.com",
    ],
    [
      { allowedOrigins: "app.example.com" },
      "allowedOrigins.0: expected an origin as browsers send it, such as https://app.example.com",
    ],
    [
      { allowedOrigins: "ftp://app.example.com" },
      "allowedOrigins.0: expected an origin as browsers send it, such as https://app.example.com",
    ],
    [
      { allowedOrigins: "https://*.example.com" },
      "allowedOrigins.0: expected an origin as browsers send it, such as https://app.example.com",
    ],
    [
      { allowedOrigins: "null" },
      "allowedOrigins.0: expected an origin as browsers send it, such as https://app.example.com",
    ],
    [
      { allowedOrigins: "https://a.test," },
      "allowedOrigins.1: expected an origin as browsers send it, such as https://app.example.com",
    ],
    [{ stage: "prod", retain: false }, "retain: the stateful resources of prod are always kept"],
    [{ passwordHashes: "weak" }, "passwordHashes: only the stage selftest may weaken them"],
    [{ stage: "prod", passwordHashes: "weak" }, "passwordHashes: only the stage selftest may weaken them"],
    [{ stage: "selftest", passwordHashes: "none" }, "passwordHashes: Invalid option"],
    [{ stge: "dev" }, 'context: Unrecognized key: "stge"'],
  ])("%o", (context, message) => {
    expect(() => parse(context)).toThrow(message);
  });

  test.each([
    ["https://app.example.com/", "https://app.example.com"],
    ["https://app.example.com/path", "https://app.example.com"],
    ["https://app.example.com?x", "https://app.example.com"],
    ["HTTPS://app.example.com", "https://app.example.com"],
    ["https://App.example.com", "https://app.example.com"],
    ["https://app.example.com:443", "https://app.example.com"],
    ["https://me@app.example.com", "https://app.example.com"],
    ["https://bücher.example", "https://xn--bcher-kva.example"],
  ])("an origin that no browser sends: %s", (given, right) => {
    const message = `allowedOrigins.1: no browser sends ${given} as an origin; write ${right}`;
    expect(() => parse({ allowedOrigins: `https://a.test,${given}` })).toThrow(message);
  });

  test("all errors in the settings are named together", () => {
    expect(() => parse({ stage: "", registration: "x" })).toThrow(/stage: [\s\S]*registration: /);
  });
});
