import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { type Contract, handlerPath } from "#contracts/contract";
import * as operatorContracts from "#contracts/operations";
import { routes } from "#contracts/routes";
import { announcedOperations, operationNeeds, operatorNeeds } from "../../infra/stacks/operation-needs.ts";
import { actionsOf, type LambdaFunction, synthesized } from "./synthesized.ts";

const { functions, runners, ofType, templates } = synthesized();

const arnOf = z
  .object({ "Fn::GetAtt": z.tuple([z.string(), z.literal("Arn")]) })
  .transform((att) => att["Fn::GetAtt"][0]);

const mayDo = (action: string) => functions.filter((lambda) => actionsOf(lambda).includes(action));
const mayNot = (action: string) => functions.filter((lambda) => !actionsOf(lambda).includes(action));
const names = (lambdas: readonly LambdaFunction[]) => lambdas.map((lambda) => lambda.handler).toSorted();

/** Tasks of workflows, jobs, and consumers of queues. */
const isBackground = (handler: string): boolean => /^functions\/(?:workflow|schedule|queue)\//.test(handler);

/** Whether a reply of the route contains a token. */
const answersWithToken = (contract: Contract) =>
  Object.values(contract.replies).some(({ body }) => {
    const schema = body && z.toJSONSchema(body, { io: "input", unrepresentable: "any", reused: "inline" });
    return JSON.stringify(schema ?? {}).includes('"access_token"');
  });

test("every function, state machine and schedule has a role of its own, and there is no other role", () => {
  const machines = ofType("AWS::StepFunctions::StateMachine");
  const schedules = ofType("AWS::Scheduler::Schedule");
  const target = z.object({ RoleArn: arnOf });
  const roles = [
    ...[...functions, ...runners].map((lambda) => `${lambda.stack}/${lambda.properties.Role}`),
    ...machines.map(({ stack, properties }) => `${stack}/${arnOf.parse(properties.RoleArn)}`),
    ...schedules.map(({ stack, properties }) => `${stack}/${target.parse(properties.Target).RoleArn}`),
  ];
  const ofGroup = ofType("AWS::IAM::Role").filter(({ id }) => id.startsWith("SchedulesRole"));
  expect(ofGroup.map(({ stack }) => stack)).toEqual(["tenantry-dev-core"]);
  roles.push(...ofGroup.map(({ stack, id }) => `${stack}/${id}`));
  expect(new Set(roles).size).toBe(roles.length);
  expect(new Set(ofType("AWS::IAM::Role").map(({ stack, id }) => `${stack}/${id}`))).toEqual(new Set(roles));
  expect(ofType("AWS::IAM::Policy")).toEqual([]);
});

test("no statement allows a wildcard, in its actions or in its resources, but for executions, schedules and files", () => {
  for (const { name, statements } of functions) {
    for (const statement of statements) {
      expect(statement.Effect, name).toBe("Allow");
      const resources = statement.Resource.map((resource) =>
        resource
          .replace(/(:execution:[a-z-]+:)\*"/, "$1")
          .replace(/(:schedule\/tenantry-dev\/)\*"/, "$1")
          .replace(/("},"\/(?:billing|documents|webhooks)\/)\*"/, "$1"),
      );
      // AWS has no permission to list the schedules of one group.
      if (statement.Action.includes("scheduler:ListSchedules")) continue;
      for (const part of [...statement.Action, ...resources]) expect(part, name).not.toContain("*");
    }
  }
});

test("a function writes to its own log group only", () => {
  for (const lambda of [...functions, ...runners]) {
    const logs = lambda.statements.filter((statement) => statement.Action.some((action) => action.startsWith("logs:")));
    expect(logs, lambda.name).toEqual([
      {
        Effect: "Allow",
        Action: ["logs:CreateLogStream", "logs:PutLogEvents"],
        Resource: [JSON.stringify({ "Fn::GetAtt": [lambda.properties.LoggingConfig.LogGroup, "Arn"] })],
      },
    ]);
  }
});

describe("signing keys", () => {
  test("only the routes that issue tokens may sign", () => {
    const issuers = [
      "functions/http/identity/get-sign-in-status.ts",
      "functions/http/identity/issue-token.ts",
      "functions/http/identity/login.ts",
      "functions/http/identity/refresh.ts",
      "functions/http/identity/register.ts",
      "functions/http/identity/switch-organization.ts",
      "functions/http/identity/verify-second-factor.ts",
    ];
    expect(names(mayDo("kms:Sign"))).toEqual(issuers);
    expect(routes.filter(answersWithToken).map(handlerPath).toSorted()).toEqual(issuers);
  });

  test("no task of a workflow and no job may read the public keys, because they get no tokens", () => {
    expect(names(mayDo("kms:GetPublicKey")).filter(isBackground)).toEqual([]);
  });

  test("all other functions but these read the public keys, and no other rights on keys are given", () => {
    const others = names(mayNot("kms:GetPublicKey")).filter((handler) => !isBackground(handler));
    expect(others).toEqual([
      "functions/http/automation/call-context.ts",
      "functions/http/automation/end-local-execution.ts",
      "functions/http/billing/receive-billing-hook.ts",
      "functions/http/default-route.ts",
      "functions/http/email-services/receive-webhook.ts",
      "functions/http/identity/confirm-email.ts",
      "functions/http/identity/forgot-password.ts",
      "functions/http/identity/get-authorization-server.ts",
      "functions/http/identity/get-code-url.ts",
      "functions/http/identity/reset-password.ts",
      "functions/http/platform/get-docs-asset.ts",
      "functions/http/platform/get-docs-signed-in.ts",
      "functions/http/platform/get-docs.ts",
      "functions/http/platform/get-openapi.ts",
      "functions/http/public/run-public-automation.ts",
      "functions/http/public/show-unsubscribe.ts",
      "functions/http/public/unsubscribe.ts",
      "functions/http/sign-in/check-approval.ts",
      "functions/http/sign-in/decide-authorization.ts",
      "functions/http/sign-in/leave-pages.ts",
      "functions/http/sign-in/show-authorization.ts",
      "functions/http/sign-in/show-confirm-email.ts",
      "functions/http/sign-in/show-forgot-password.ts",
      "functions/http/sign-in/show-reset-password.ts",
      "functions/http/sign-in/submit-code.ts",
      "functions/http/sign-in/submit-confirm-email.ts",
      "functions/http/sign-in/submit-forgot-password.ts",
      "functions/http/sign-in/submit-password.ts",
      "functions/http/sign-in/submit-reset-password.ts",
      "functions/operations/build-indexes.ts",
      "functions/operations/create-user.ts",
      "functions/operations/finish-renames.ts",
      "functions/operations/grant-superuser.ts",
      "functions/operations/link-billing.ts",
      "functions/operations/migrate.ts",
      "functions/operations/platform-mails.ts",
      "functions/operations/redrive.ts",
    ]);
    const rights = functions.flatMap(actionsOf).filter((action) => action.startsWith("kms:"));
    const known = ["kms:Sign", "kms:GetPublicKey", "kms:GenerateDataKey", "kms:Decrypt"];
    expect([...new Set(rights)].filter((action) => !known.includes(action))).toEqual([]);
  });

  test("rights on signing keys are rights on exactly the two keys", () => {
    for (const statement of functions.flatMap((lambda) => lambda.statements)) {
      if (!statement.Action.some((action) => ["kms:Sign", "kms:GetPublicKey"].includes(action))) continue;
      expect(statement.Resource).toHaveLength(2);
      expect(statement.Resource[0]).toContain("signingkeyaarn");
      expect(statement.Resource[1]).toContain("signingkeybarn");
    }
  });

  test("changing the active key changes only the order of aliases for functions that sign", () => {
    const rotated = synthesized({ activeSigningKey: "b" });
    const issuers = new Set(mayDo("kms:Sign").map((lambda) => lambda.name));
    const aliases = (lambda: LambdaFunction | undefined) => lambda?.environment.SIGNING_KEY_ALIASES;
    for (const after of rotated.functions) {
      const before = functions.find((lambda) => lambda.name === after.name);
      const reversed = aliases(before)?.split(",").reverse().join(",");
      expect(aliases(after), after.name).toBe(issuers.has(after.name) ? reversed : aliases(before));
    }
    const active = "alias/tenantry-dev-signing-a,alias/tenantry-dev-signing-b";
    const other = "alias/tenantry-dev-signing-b,alias/tenantry-dev-signing-a";
    const indifferent = (template: string) => template.replaceAll(`"${other}"`, `"${active}"`);
    const contents = (all: ReadonlyMap<string, string>) => [...all.values()].map(indifferent);
    expect(contents(rotated.templates)).toEqual(contents(templates));
  });
});

const isFieldKey = ({ Condition }: { readonly Condition?: unknown }): boolean =>
  isDeepStrictEqual(Condition, {
    StringEquals: { "kms:EncryptionContext:purpose": "fields" },
    Null: { "kms:EncryptionContext:organization": "false" },
  });

test("functions that show or compare encrypted fields may decrypt the data keys of fields, and no other secret", () => {
  const may = functions.filter(({ statements }) =>
    statements.some((statement) => statement.Action.includes("kms:Decrypt") && isFieldKey(statement)),
  );
  expect(names(may)).toEqual([
    "functions/http/automation/call-context.ts",
    "functions/http/automation/replay-execution.ts",
    "functions/http/automation/run-automation.ts",
    "functions/http/documents/get-document-content.ts",
    "functions/http/documents/upload-document.ts",
    "functions/http/email-services/get-email-message.ts",
    "functions/http/email-services/preview-template.ts",
    "functions/http/email-services/search-email-messages.ts",
    "functions/http/email-services/send-email.ts",
    "functions/http/public/run-public-automation.ts",
    "functions/http/query/get-query.ts",
    "functions/http/query/post-query.ts",
    "functions/http/records/create-records.ts",
    "functions/http/records/delete-record.ts",
    "functions/http/records/delete-records.ts",
    "functions/http/records/get-record.ts",
    "functions/http/records/list-records.ts",
    "functions/http/records/update-record.ts",
    "functions/http/records/update-records.ts",
    "functions/http/sandbox/push-sandbox-app.ts",
    "functions/queue/automation.ts",
    "functions/queue/email-webhook.ts",
    "functions/queue/notify-setting.ts",
    "functions/schedule/run-scheduled.ts",
  ]);
  for (const { statements } of may) {
    const decrypting = statements.filter(({ Action }) => Action.includes("kms:Decrypt"));
    expect(decrypting.filter((statement) => !isCredentialKey(statement)).map(isFieldKey)).toEqual([true]);
  }
});

const isCredentialKey = ({ Condition }: { readonly Condition?: unknown }): boolean =>
  isDeepStrictEqual(Condition, {
    StringEquals: { "kms:EncryptionContext:object": "auth_credential", "kms:EncryptionContext:field": "value" },
  });

const isDeviceKey = ({ Condition }: { readonly Condition?: unknown }): boolean =>
  isDeepStrictEqual(Condition, { StringEquals: { "kms:EncryptionContext:object": "_device" } });

test("only functions that call providers get what the operator allows besides https and the internet", () => {
  const allowed = synthesized({ outboundHttp: "true", outboundLoopback: "true" }).functions.filter(
    ({ environment }) => environment.OUTBOUND_HTTP === "true" && environment.OUTBOUND_LOOPBACK === "true",
  );
  expect(names(allowed)).toEqual([
    "functions/http/automation/call-context.ts",
    "functions/queue/deliver-message.ts",
    "functions/queue/usage-sync.ts",
  ]);
  const told = functions.filter(
    ({ environment }) => "OUTBOUND_HTTP" in environment || "OUTBOUND_LOOPBACK" in environment,
  );
  expect(names(told)).toEqual([]);
});

test("only the functions that answer running code, send messages and verify webhooks may decrypt the values of credentials", () => {
  const may = functions.filter(({ statements }) =>
    statements.some((statement) => statement.Action.includes("kms:Decrypt") && isCredentialKey(statement)),
  );
  expect(names(may)).toEqual([
    "functions/http/automation/call-context.ts",
    "functions/http/email-services/receive-webhook.ts",
    "functions/queue/deliver-message.ts",
  ]);
});

test("only the function that sends messages may decrypt the push tokens of devices", () => {
  const may = functions.filter(({ statements }) =>
    statements.some((statement) => statement.Action.includes("kms:Decrypt") && isDeviceKey(statement)),
  );
  expect(names(may)).toEqual(["functions/queue/deliver-message.ts"]);
});

const isMailKey = ({ Condition }: { readonly Condition?: unknown }): boolean =>
  isDeepStrictEqual(Condition, { StringEquals: { "kms:EncryptionContext:purpose": "platform-mail" } });

/** The functions that may do this with the data key, but for the platform's mails. */
const withDataKey = (action: string) =>
  functions.filter(({ statements }) => statements.some((one) => one.Action.includes(action) && !isMailKey(one)));

test("functions that write records and the migrations may seal secrets; only second-factor functions open them", () => {
  expect(names(withDataKey("kms:GenerateDataKey"))).toEqual([
    "functions/http/automation/call-context.ts",
    "functions/http/automation/replay-execution.ts",
    "functions/http/automation/run-automation.ts",
    "functions/http/documents/upload-document.ts",
    "functions/http/identity/enrol-totp.ts",
    "functions/http/notifications/set-notification-token.ts",
    "functions/http/public/run-public-automation.ts",
    "functions/http/records/create-records.ts",
    "functions/http/records/update-record.ts",
    "functions/http/records/update-records.ts",
    "functions/http/sandbox/push-sandbox-app.ts",
    "functions/operations/migrate.ts",
    "functions/queue/automation.ts",
    "functions/schedule/run-scheduled.ts",
  ]);
  const opening = functions.filter(({ statements }) =>
    statements.some(
      (statement) =>
        statement.Action.includes("kms:Decrypt") &&
        ![isFieldKey, isCredentialKey, isDeviceKey, isMailKey].some((isKey) => isKey(statement)),
    ),
  );
  expect(names(opening)).toEqual([
    "functions/http/identity/confirm-totp.ts",
    "functions/http/identity/disable-totp.ts",
    "functions/http/identity/verify-second-factor.ts",
    "functions/http/sign-in/submit-code.ts",
  ]);
});

test("functions that change fields or write records may invoke the builder of indexes, and the migrations may invoke themselves", () => {
  const invoked = mayDo("lambda:InvokeFunction").map(({ handler, statements }) => {
    const { Resource = [] } = statements.find(({ Action }) => Action.includes("lambda:InvokeFunction")) ?? {};
    return [handler, Resource.map((resource) => /tenantry-dev-([a-z-]+)/.exec(resource)?.[1])];
  });
  const builder = ["build-indexes"];
  const writer = ["build-indexes", "finish-renames"];
  expect(Object.fromEntries(invoked)).toEqual({
    "functions/http/automation/call-context.ts": [...writer, "runner"],
    "functions/http/automation/replay-execution.ts": [...writer, "runner"],
    "functions/http/automation/run-automation.ts": [...writer, "runner"],
    "functions/http/automation/run-function.ts": ["runner"],
    "functions/http/documents/upload-document.ts": [...writer, "runner"],
    "functions/http/public/run-public-automation.ts": [...writer, "runner"],
    "functions/http/records/create-records.ts": [...writer, "runner"],
    "functions/http/records/delete-record.ts": [...writer, "runner"],
    "functions/http/records/delete-records.ts": [...writer, "runner"],
    "functions/http/records/update-record.ts": [...writer, "runner"],
    "functions/http/records/update-records.ts": [...writer, "runner"],
    "functions/http/sandbox/push-sandbox-app.ts": [...writer, "runner"],
    "functions/http/schema/create-field.ts": builder,
    "functions/http/schema/create-schema.ts": builder,
    "functions/http/schema/delete-field.ts": builder,
    "functions/http/schema/generate-schemas.ts": builder,
    "functions/http/schema/update-field.ts": builder,
    "functions/http/schema/update-schema.ts": builder,
    "functions/operations/migrate.ts": ["migrate"],
    "functions/queue/automation.ts": [...writer, "runner"],
    "functions/queue/record-trigger.ts": ["runner"],
    "functions/schedule/run-scheduled.ts": [...writer, "runner"],
  });
});

test("only functions that write records or change what runs make schedules, in the platform's group with its role", () => {
  const making = mayDo("scheduler:CreateSchedule");
  expect(names(making)).toEqual([
    "functions/http/automation/call-context.ts",
    "functions/http/automation/replay-execution.ts",
    "functions/http/automation/run-automation.ts",
    "functions/http/documents/upload-document.ts",
    "functions/http/email-services/cancel-email-message.ts",
    "functions/http/email-services/send-email.ts",
    "functions/http/public/run-public-automation.ts",
    "functions/http/records/create-records.ts",
    "functions/http/records/delete-record.ts",
    "functions/http/records/delete-records.ts",
    "functions/http/records/update-record.ts",
    "functions/http/records/update-records.ts",
    "functions/http/sandbox/push-sandbox-app.ts",
    "functions/http/sandbox/update-sandbox.ts",
    "functions/queue/automation.ts",
    "functions/queue/deliver-notification.ts",
    "functions/schedule/reconcile-schedules.ts",
    "functions/schedule/run-scheduled.ts",
    "functions/schedule/sweep-outbox.ts",
  ]);
  expect(names(mayDo("iam:PassRole"))).toEqual(names(making));
  for (const { statements, environment } of making) {
    const pass = statements.find(({ Action }) => Action.includes("iam:PassRole"));
    expect(pass?.Resource).toEqual([expect.stringContaining("schedulerolearn")]);
    expect(pass?.Condition).toEqual({ StringEquals: { "iam:PassedToService": "scheduler.amazonaws.com" } });
    const schedules = statements.find(({ Action }) => Action.includes("scheduler:CreateSchedule"));
    expect(schedules?.Action).toEqual(["Create", "Update", "Get", "Delete"].map((verb) => `scheduler:${verb}Schedule`));
    expect(schedules?.Resource).toEqual([expect.stringMatching(/:schedule\/tenantry-dev\/\*/)]);
    expect(environment.SCHEDULE_GROUP).toBe("tenantry-dev");
    expect(environment.SCHEDULE_TARGET_ARN).toMatch(/:function:tenantry-dev-run-scheduled"/);
  }
});

test("the Lambda that runs tenants' code may write log lines and nothing else, and has no variables", () => {
  expect(runners.map(({ name }) => name)).toEqual(["tenantry-dev-runner"]);
  for (const runner of runners) {
    expect(actionsOf(runner)).toEqual(["logs:CreateLogStream", "logs:PutLogEvents"]);
    expect(runner.environment).toEqual({});
  }
});

test("a function knows the name of the runner if and only if it may invoke it", () => {
  for (const { name, environment, statements } of functions) {
    const may = statements
      .filter(({ Action }) => Action.includes("lambda:InvokeFunction"))
      .flatMap(({ Resource }) => Resource)
      .filter((resource) => /:function:tenantry-dev-runner"/.test(resource));
    expect(environment.RUNNER_FUNCTION_NAME, name).toBe(may.length === 1 ? "tenantry-dev-runner" : undefined);
  }
});

test("only these functions start executions, and of the sandbox workflow alone", () => {
  const starting = mayDo("states:StartExecution");
  expect(names(starting)).toEqual([
    "functions/http/sandbox/create-sandbox.ts",
    "functions/http/sandbox/delete-sandbox.ts",
    "functions/http/sandbox/refresh-sandbox.ts",
    "functions/schedule/reconcile-sandboxes.ts",
  ]);
  for (const { statements } of starting) {
    const [{ Action, Resource } = { Action: [], Resource: [] }] = statements.filter((one) =>
      one.Action.some((action) => action.startsWith("states:")),
    );
    expect(Action).toEqual(["states:StartExecution"]);
    expect(Resource).toEqual([expect.stringMatching(/:stateMachine:tenantry-dev-sandbox"/)]);
  }
});

test("secrets are encrypted and decrypted under the one data key", () => {
  for (const { Action, Resource } of functions.flatMap((lambda) => lambda.statements)) {
    if (!Action.some((action) => ["kms:GenerateDataKey", "kms:Decrypt"].includes(action))) continue;
    expect(Resource).toEqual([expect.stringContaining("datakeyarn")]);
  }
});

describe("mail", () => {
  const withMailKey = (action: string) =>
    functions.filter(({ statements }) => statements.some((one) => one.Action.includes(action) && isMailKey(one)));

  test("of the platform is queued and sealed by these functions, which cannot read it again", () => {
    const queueing = withMailKey("kms:GenerateDataKey");
    expect(names(queueing)).toEqual([
      "functions/http/automation/call-context.ts",
      "functions/http/automation/replay-execution.ts",
      "functions/http/automation/run-automation.ts",
      "functions/http/identity/change-password.ts",
      "functions/http/identity/confirm-totp.ts",
      "functions/http/identity/disable-totp.ts",
      "functions/http/identity/get-sign-in-status.ts",
      "functions/http/identity/login.ts",
      "functions/http/identity/refresh.ts",
      "functions/http/identity/register.ts",
      "functions/http/identity/request-email-confirmation.ts",
      "functions/http/identity/reset-password.ts",
      "functions/http/identity/switch-organization.ts",
      "functions/http/identity/verify-second-factor.ts",
      "functions/http/public/run-public-automation.ts",
      "functions/http/records/delete-record.ts",
      "functions/http/records/delete-records.ts",
      "functions/http/records/update-record.ts",
      "functions/http/records/update-records.ts",
      "functions/http/sign-in/submit-code.ts",
      "functions/http/sign-in/submit-password.ts",
      "functions/http/sign-in/submit-reset-password.ts",
      "functions/operations/create-user.ts",
      "functions/operations/grant-superuser.ts",
      "functions/queue/automation.ts",
      "functions/queue/billing-hook.ts",
      "functions/queue/password-reset.ts",
      "functions/schedule/run-scheduled.ts",
    ]);
    for (const { environment, statements, name } of queueing) {
      expect(environment.PLATFORM_MAIL_QUEUE_URL, name).toContain("tenantry-dev-platform-mail");
      const sent = statements.filter(({ Action }) => Action.includes("sqs:SendMessage")).flatMap((one) => one.Resource);
      expect(
        sent.some((arn) => arn.includes("tenantry-dev-platform-mail")),
        name,
      ).toBe(true);
    }
  });

  test("of the platform is read by the worker of its queue alone", () => {
    expect(names(withMailKey("kms:Decrypt"))).toEqual(["functions/queue/platform-mail.ts"]);
  });

  test("is sent by workers of queues only, from the configured identity", () => {
    expect(names(mayDo("ses:SendEmail"))).toEqual([
      "functions/queue/deliver-message.ts",
      "functions/queue/platform-mail.ts",
    ]);
    const configured = synthesized({ mailSender: "hello@acme.example" });
    for (const { statements, environment } of configured.functions) {
      for (const { Action, Resource } of statements) {
        if (!Action.includes("ses:SendEmail")) continue;
        expect(environment.MAIL_SENDER).toBe("hello@acme.example");
        const [identity, ...sets] = Resource;
        expect(identity).toMatch(/:identity\/acme\.example"/);
        // Of mails of organizations SES reports what becomes of them.
        const reported = environment.MAIL_CONFIGURATION_SET === "tenantry-dev";
        expect(sets).toEqual(reported ? [expect.stringMatching(/:configuration-set\/tenantry-dev"/)] : []);
      }
    }
  });
});

test("a signing key is replaced by a new one under its old alias, and the old key is kept", () => {
  const keys = (all: Pick<ReturnType<typeof synthesized>, "ofType">) =>
    all.ofType("AWS::KMS::Key").map((key) => key.id);
  const replaced = synthesized({ signingKeyA: 2 });
  const [oldA, keptB] = keys({ ofType });
  expect(keys(replaced)).toContain(keptB);
  expect(keys(replaced)).not.toContain(oldA);
  const targets = replaced.ofType("AWS::KMS::Alias").map((alias) => [alias.id, alias.properties.AliasName]);
  expect(targets).toEqual(ofType("AWS::KMS::Alias").map((alias) => [alias.id, alias.properties.AliasName]));
});

describe("the database", () => {
  test("its secret is read by all functions but these", () => {
    expect(names(mayNot("secretsmanager:GetSecretValue"))).toEqual([
      "functions/http/default-route.ts",
      "functions/http/identity/get-authorization-server.ts",
      "functions/http/identity/get-jwks.ts",
      "functions/http/platform/get-docs-asset.ts",
      "functions/http/platform/get-docs-signed-in.ts",
      "functions/http/platform/get-docs.ts",
      "functions/http/platform/get-openapi.ts",
      "functions/http/sign-in/show-confirm-email.ts",
      "functions/http/sign-in/show-forgot-password.ts",
      "functions/http/sign-in/show-reset-password.ts",
    ]);
  });

  test("a function knows where a secret is if and only if it may read it", () => {
    for (const { name, environment, statements } of functions) {
      const { MONGODB_SECRET_ARN, PROVISIONING_MONGODB_SECRET_ARN, VENDORS_SECRET_ARN } = environment;
      const told = [MONGODB_SECRET_ARN, PROVISIONING_MONGODB_SECRET_ARN, VENDORS_SECRET_ARN];
      const read = statements
        .filter(({ Action }) => Action.includes("secretsmanager:GetSecretValue"))
        .flatMap(({ Resource }) => Resource);
      expect(
        told.filter((arn) => arn !== undefined),
        name,
      ).toEqual(read);
    }
  });

  test("the secret of the user that may drop and rename is read by workflows and jobs of sandboxes only", () => {
    const provisioning = functions.filter(({ environment }) => "PROVISIONING_MONGODB_SECRET_ARN" in environment);
    const allowed = /^functions\/(?:workflow\/sandbox\/|schedule\/[a-z-]*sandbox)/;
    expect(names(provisioning).filter((handler) => !allowed.test(handler))).toEqual([]);
  });

  test("no template contains a value of the secret: the placeholder is an empty object", () => {
    const secrets = ofType("AWS::SecretsManager::Secret");
    expect(secrets.map((secret) => secret.properties.SecretString)).toEqual(["{}", "{}", "{}"]);
    for (const template of templates.values()) expect(template).not.toMatch(/mongodb(\+srv)?:\/\//);
  });

  test("existing secrets are used instead of new ones", () => {
    const mongodbSecretArn = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:shared/atlas-AbCdEf";
    const mongodbProvisioningSecretArn = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:shared/other-AbCdEf";
    const imported = synthesized({ mongodbSecretArn, mongodbProvisioningSecretArn });
    const names = imported.ofType("AWS::SecretsManager::Secret").map(({ properties }) => properties.Name);
    expect(names).toEqual(["tenantry/dev/vendors"]);
    const published = imported
      .ofType("AWS::SSM::Parameter")
      .filter(({ properties }) => String(properties.Name).includes("/mongodb-"))
      .map(({ properties }) => [properties.Name, properties.Value]);
    expect(Object.fromEntries(published)).toEqual({
      "/tenantry/dev/mongodb-secret-arn": mongodbSecretArn,
      "/tenantry/dev/mongodb-provisioning-secret-arn": mongodbProvisioningSecretArn,
    });
  });
});

test("every operation with special needs exists", () => {
  const operations = new Set(routes.map((contract) => contract.operation));
  expect(Object.keys(operationNeeds).filter((operation) => !operations.has(operation))).toEqual([]);
  const operators = new Set<string>(Object.values(operatorContracts).map(({ operation }) => operation));
  const special = [...Object.keys(operatorNeeds), ...Object.keys(announcedOperations)];
  expect(special.filter((operation) => !operators.has(operation))).toEqual([]);
});

test("functions that write records may send to the queue of async triggers, and know its address", () => {
  const senders = names(mayDo("sqs:SendMessage"));
  const writers = ["create-records", "delete-record", "delete-records", "update-record", "update-records"];
  expect(senders).toEqual(expect.arrayContaining(writers.map((name) => `functions/http/records/${name}.ts`)));
  expect(senders).toContain("functions/http/automation/call-context.ts");
  for (const writer of mayDo("sqs:SendMessage").filter(({ handler }) => handler.includes("/records/"))) {
    expect(writer.environment.RECORD_TRIGGER_QUEUE_URL, writer.name).toContain("tenantry-dev-record-trigger");
  }
});

test("a function knows the address of a queue if and only if it may send to it or receives from it", () => {
  for (const { name, environment, statements } of functions) {
    // It may send to all of them, and makes their addresses itself.
    if ("QUEUE_URL_PREFIX" in environment) continue;
    const allowed = statements
      .filter(({ Action }) => Action.some((action) => /^sqs:(?:Send|Receive)Message$/.test(action)))
      .flatMap(({ Resource }) => Resource.map((arn) => /tenantry-dev-([a-z-]+)/.exec(arn)?.[1] ?? ""));
    const told = Object.keys(environment).filter((key) => key.endsWith("_QUEUE_URL"));
    const expected = allowed.map((queue) => `${queue.toUpperCase().replaceAll("-", "_")}_QUEUE_URL`);
    expect(told.toSorted(), name).toEqual([...new Set(expected)].toSorted());
  }
});

test("only the operators' function redrive sends dead letters back, of every queue and to it, and counts those of schedules", () => {
  const [redrive, ...others] = mayDo("sqs:StartMessageMoveTask");
  expect(others).toEqual([]);
  expect(redrive?.handler).toBe("functions/operations/redrive.ts");
  const queues = ofType("AWS::SQS::Queue").map(({ properties }) => String(properties.QueueName));
  const namesIn = (action: string): string[] =>
    (redrive?.statements ?? [])
      .filter(({ Action }) => Action.includes(action))
      .flatMap(({ Resource }) => Resource.map((one) => /tenantry-dev-[a-z-]+/.exec(one)?.[0] ?? one))
      .toSorted();
  const dead = queues.filter((name) => name.endsWith("-dead-letters")).toSorted();
  expect(namesIn("sqs:GetQueueAttributes")).toEqual(queues.toSorted());
  expect(namesIn("sqs:SendMessage")).toEqual(queues.filter((name) => !dead.includes(name)).toSorted());
  for (const action of ["StartMessageMoveTask", "ListMessageMoveTasks", "ReceiveMessage", "DeleteMessage"]) {
    expect(namesIn(`sqs:${action}`)).toEqual(dead.filter((name) => !name.includes("schedules")));
  }
});

test("every queue has an alarm for the age of its messages, one for their number, and one for dead letters", () => {
  const watched = ofType("AWS::CloudWatch::Alarm").map(({ properties }) => {
    const [dimension] = z.array(z.object({ Value: z.unknown() })).parse(properties.Dimensions ?? []);
    return `${properties.MetricName} ${JSON.stringify(dimension?.Value)}`;
  });
  for (const { id, properties } of ofType("AWS::SQS::Queue")) {
    const named = JSON.stringify({ "Fn::GetAtt": [id, "QueueName"] });
    expect(watched, String(properties.QueueName)).toContain(`ApproximateNumberOfMessagesVisible ${named}`);
    if (String(properties.QueueName).endsWith("-dead-letters")) continue;
    expect(watched, String(properties.QueueName)).toContain(`ApproximateAgeOfOldestMessage ${named}`);
  }
});
