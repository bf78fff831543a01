import { describe, expect, test } from "vitest";
import * as z from "zod";
import { handlerPath } from "#contracts/contract";
import { routes } from "#contracts/routes";
import { buildApp, requireDeployableStage } from "../../infra/app.ts";
import { standInBundles } from "./stand-in-bundles.ts";
import { type Resource, synthesized } from "./synthesized.ts";

const { stacks, findings, templates, resources, ofType, find, functions, runners } = synthesized({}, { checks: true });

const integrationOf = z
  .object({
    "Fn::Join": z.tuple([z.literal(""), z.tuple([z.literal("integrations/"), z.object({ Ref: z.string() })])]),
  })
  .transform((join) => join["Fn::Join"][1][1].Ref);
const arnOf = z
  .object({ "Fn::GetAtt": z.tuple([z.string(), z.literal("Arn")]) })
  .transform((att) => att["Fn::GetAtt"][0]);

const handlerBehind = (route: Resource) => {
  const integration = find(route.stack, integrationOf.parse(route.properties.Target));
  expect(integration.properties).toMatchObject({ IntegrationType: "AWS_PROXY", PayloadFormatVersion: "2.0" });
  const functionId = arnOf.parse(integration.properties.IntegrationUri);
  return functions.find((lambda) => lambda.stack === route.stack && lambda.id === functionId);
};

test("cdk-nag and CloudFormation's validator give no errors and no warnings", () => {
  expect(findings).toEqual([]);
});

describe("routes", () => {
  const deployed = ofType("AWS::ApiGatewayV2::Route");

  test("every contract is one route, in the stack of its area, to its handler's function", () => {
    for (const contract of routes) {
      const key = `${contract.method} ${contract.path.replace(/\/$/, "")}`;
      const found = deployed.filter((route) => route.properties.RouteKey === key);
      expect(
        found.map((route) => route.stack),
        key,
      ).toEqual([`tenantry-dev-api-${contract.area}`]);
      expect(found.map((route) => handlerBehind(route)?.handler)).toEqual([handlerPath(contract)]);
    }
  });

  test("there is no route without a contract, except $default", () => {
    const keys = deployed.map((route) => String(route.properties.RouteKey)).filter((key) => !key.endsWith("/{slash+}"));
    expect(keys.toSorted()).toEqual(
      ["$default", ...routes.map(({ method, path }) => `${method} ${path.replace(/\/$/, "")}`)].toSorted(),
    );
  });

  test("API Gateway may invoke a function for the method and path of its routes only", () => {
    const permissions = ofType("AWS::Lambda::Permission");
    expect(permissions).toHaveLength(deployed.length);
    for (const route of deployed) {
      const key = String(route.properties.RouteKey);
      const calls = key === "$default" ? "/*/*" : `/*/${key.replace(" ", "").replaceAll(/\{[^}]+\}/g, "*")}`;
      const functionId = handlerBehind(route)?.id;
      const mine = permissions.filter(
        (permission) =>
          permission.stack === route.stack &&
          arnOf.parse(permission.properties.FunctionName) === functionId &&
          JSON.stringify(permission.properties.SourceArn).endsWith(`"${calls}"]]}`),
      );
      expect(mine, key).toHaveLength(1);
      expect(mine[0]?.properties).toMatchObject({
        Action: "lambda:InvokeFunction",
        Principal: "apigateway.amazonaws.com",
      });
    }
  });

  test("a contract without a handler is an error, and so is a handler without a contract", () => {
    const [first] = routes;
    const bundles = standInBundles();
    if (first) bundles.delete(handlerPath(first));
    bundles.set("functions/http/platform/stray.ts", { directory: "/tmp", hash: "0", bytes: 0, coldBytes: 0 });
    expect(() => buildApp({ bundles })).toThrow(
      "Contracts and handlers do not match:\n" +
        `  ${first && handlerPath(first)} is missing: a contract needs it\n` +
        "  functions/http/platform/stray.ts has no contract in shared/contracts",
    );
  });
});

describe("functions", () => {
  test("all have the same runtime settings, and those behind the API a time limit below API Gateway's", () => {
    const long = ["build-indexes", "finish-renames", "migrate"].map((name) => `functions/operations/${name}.ts`);
    for (const { name, handler, properties } of functions) {
      expect(properties, name).toMatchObject({
        Runtime: "nodejs24.x",
        Architectures: ["arm64"],
        Handler: "index.handler",
      });
      if (long.includes(handler)) expect(properties.Timeout, name).toBe(900);
      else if (/^functions\/(?:workflow|schedule|queue)\//.test(handler))
        expect(properties.Timeout, name).toBeLessThanOrEqual(900);
      else expect(properties.Timeout, name).toBeLessThan(30);
    }
  });

  test("an execution environment of the runner serves one organization, for longer than a function may take", () => {
    expect(runners.map(({ properties }) => properties)).toMatchObject([
      {
        Runtime: "python3.13",
        Architectures: ["arm64"],
        Handler: "handler.handler",
        TenancyConfig: { TenantIsolationMode: "PER_TENANT" },
        Timeout: 65,
      },
    ]);
  });

  test("the migrations, which invoke themselves, and consumers, which send later, are not stopped as a loop", () => {
    const allowed = functions.filter(({ properties }) => properties.RecursiveLoop === "Allow");
    expect(allowed.map(({ handler }) => handler).toSorted()).toEqual([
      "functions/operations/migrate.ts",
      "functions/queue/automation.ts",
      "functions/queue/billing-hook.ts",
      "functions/queue/deliver-message.ts",
      "functions/queue/deliver-notification.ts",
      "functions/queue/email-webhook.ts",
      "functions/queue/notify-setting.ts",
      "functions/queue/password-reset.ts",
      "functions/queue/platform-mail.ts",
      "functions/queue/record-trigger.ts",
      "functions/queue/remove-files.ts",
      "functions/queue/usage-sync.ts",
    ]);
  });

  test.each([
    "list-records",
    "get-record-history",
    "create-schema",
    "create-field",
    "update-field",
    "generate-schemas",
    "create-validation-rule",
    "update-validation-rule",
    "get-query",
    "post-query",
    "run-docdb-query",
  ])("%s may run longer than a slow read of 20 seconds, which would else end without its error", (operation) => {
    const found = functions.filter(({ name }) => name.endsWith(`-${operation}`));
    expect(found.map(({ properties }) => properties.Timeout)).toEqual([28]);
  });

  test("a custom domain is the public URL of all", () => {
    const certificateArn = "arn:aws:acm:eu-central-1:123456789012:certificate/one";
    const own = synthesized({ domain: "api.acme.example", certificateArn, hostedZoneId: "Z0123456789" });
    const published = own
      .ofType("AWS::SSM::Parameter")
      .find((parameter) => parameter.properties.Name === "/tenantry/dev/api-endpoint");
    expect(published?.properties.Value).toBe("https://api.acme.example");
    const unknown = own.functions.find(({ name }) => name === "tenantry-dev-default-route");
    expect(unknown?.environment.ISSUER).toBe("https://api.acme.example");
  });

  test("each gets its stage, version and public URL, and none a secret", () => {
    for (const { name, environment } of functions) {
      expect(environment, name).toMatchObject({ STAGE: "dev", LOG_LEVEL: "info" });
      expect(environment.VERSION).toMatch(/^\d+\.\d+\.\d+/);
      expect(environment.ISSUER, name).toMatch(
        name === "tenantry-dev-default-route"
          ? /^\{"Fn::GetAtt":\["Http\w+","ApiEndpoint"\]\}$/
          : /^\{"Ref":"SsmParameterValuetenantrydevapiendpoint\w+"\}$/,
      );
      const known = [
        "STAGE",
        "VERSION",
        "LOG_LEVEL",
        "WITHOUT_VENDOR",
        "PLATFORM_MESSAGES",
        "VENDORS_SECRET_ARN",
        "PAYMENT_GRACE_DAYS",
        "ISSUER",
        "MONGODB_SECRET_ARN",
        "PROVISIONING_MONGODB_SECRET_ARN",
        "SIGNING_KEY_ALIASES",
        "REGISTRATION",
        "MAIL_SENDER",
        "MAIL_CONFIGURATION_SET",
        "DATA_KEY_ARN",
        "FILES_BUCKET",
        "QUEUE_ARN_PREFIX",
        "QUEUE_URL_PREFIX",
        "RUNNER_FUNCTION_NAME",
        "LOCAL_EXECUTIONS",
        "SCHEDULE_GROUP",
        "SCHEDULE_TARGET_ARN",
        "SCHEDULE_ROLE_ARN",
        "SCHEDULE_DEAD_LETTER_ARN",
      ];
      expect(
        Object.keys(environment).filter((key) => !known.includes(key) && !/_STATE_MACHINE_ARN$|_QUEUE_URL$/.test(key)),
        name,
      ).toEqual([]);
    }
  });
});

describe("stacks", () => {
  // The largest stack grows by seven with each route. Half of the limit leaves time to split an area.
  const FAR_BELOW = 250;

  test("each stays far below CloudFormation's 500 resources, and a route takes fewer than ten", () => {
    for (const stack of templates.keys()) {
      expect(resources.filter((resource) => resource.stack === stack).length, stack).toBeLessThan(FAR_BELOW);
    }
    for (const area of new Set(routes.map((contract) => contract.area))) {
      const size = resources.filter((resource) => resource.stack === `tenantry-dev-api-${area}`).length;
      expect(size / routes.filter((contract) => contract.area === area).length, area).toBeLessThan(10);
    }
  });

  test("no stack imports an export of another: shared values are SSM parameters", () => {
    for (const [stack, template] of templates) {
      expect(template, stack).not.toContain("Fn::ImportValue");
      expect(template, stack).not.toContain('"Export"');
    }
  });

  test("every log group has a retention time", () => {
    for (const group of ofType("AWS::Logs::LogGroup")) expect(group.properties.RetentionInDays, group.id).toBe(30);
  });

  test("keys and secrets are retained when their stack is deleted, unless the stage is a throw-away one", () => {
    const stateful = ["AWS::KMS::Key", "AWS::SecretsManager::Secret"];
    const policies = (all: readonly Resource[]) =>
      new Set(all.filter((resource) => stateful.includes(resource.type)).map((resource) => resource.deletionPolicy));
    expect(policies(resources)).toEqual(new Set(["Retain"]));
    expect(policies(synthesized({ retain: "false" }).resources)).toEqual(new Set(["Delete"]));
  });

  test("prod is protected against deletion", () => {
    expect(stacks.map((stack) => stack.terminationProtection)).not.toContain(true);
    const prod = synthesized({ stage: "prod" }).stacks;
    expect(prod.every((stack) => stack.terminationProtection && stack.stackName.startsWith("tenantry-prod-"))).toBe(
      true,
    );
  });
});

test("what schedules start cannot use all concurrent executions of the account", () => {
  const reserved = ({ functions: all }: ReturnType<typeof synthesized>) =>
    Object.fromEntries(
      all.flatMap(({ name, reservedConcurrency }) =>
        reservedConcurrency === undefined ? [] : [[name, reservedConcurrency]],
      ),
    );
  expect(reserved(synthesized())).toEqual({ "tenantry-dev-run-scheduled": 100 });
  const none = { scheduledRunConcurrency: "0" };
  expect(reserved(synthesized(none))).toEqual({});
  expect(reserved(synthesized({ ...none, contextConcurrency: "200" }))).toEqual({ "tenantry-dev-call-context": 200 });
});

describe("the costs of password hashes", () => {
  const weakened = (context: Record<string, unknown>) =>
    synthesized(context).functions.filter(({ environment }) => "PASSWORD_HASHES" in environment).length;

  test("are never lowered for a function of a deployed stage", () => {
    expect(functions.filter(({ environment }) => "PASSWORD_HASHES" in environment)).toEqual([]);
    for (const stage of ["test", "local", "prod"]) expect(weakened({ stage }), stage).toBe(0);
  });

  test("are lower in the stage of the test suite, which is never deployed", () => {
    const context = { stage: "selftest", passwordHashes: "weak" };
    expect(weakened(context)).toBe(functions.length);
    expect(() => requireDeployableStage(buildApp({ bundles: standInBundles(), context }))).toThrow(
      "The stage selftest belongs to the test suite and is never deployed.",
    );
    expect(() => requireDeployableStage(buildApp({ bundles: standInBundles() }))).not.toThrow();
  });

  test("the setting that lets integrations use addresses of this host is never deployed", () => {
    const app = buildApp({ bundles: standInBundles(), context: { outboundLoopback: "true" } });
    expect(() => requireDeployableStage(app)).toThrow("never deployed");
  });

  test("the setting that lets tests answer for the DNS is never deployed", () => {
    const app = buildApp({ bundles: standInBundles(), context: { dnsServers: "127.0.0.1:5353" } });
    expect(() => requireDeployableStage(app)).toThrow("asks the DNS of its host");
  });
});
