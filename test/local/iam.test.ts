import { KMSClient, SignCommand } from "@aws-sdk/client-kms";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { matchesArn, matchesWildcard } from "../../infra/local/iam/wildcard.ts";
import { propertyRuns } from "../setup/property-runs.ts";
import { functionCaller } from "./function-caller.ts";
import { type Running, run, runForTest, sdkSettings } from "./run.ts";
import { allow, attribute, lambdaFunction, ref, template } from "./stack.ts";

const deny = (action: string, resource: unknown) => ({ Effect: "Deny", Action: action, Resource: resource });
const parameterArn = (name: string) => ({
  "Fn::Sub": `arn:\${AWS::Partition}:ssm:\${AWS::Region}:\${AWS::AccountId}:parameter${name}`,
});
const algorithm = (name: string) => ({ StringEquals: { "kms:SigningAlgorithm": name } });

const resources = {
  Secret: { Type: "AWS::SecretsManager::Secret", Properties: { Name: "app/secret", SecretString: "hidden" } },
  Key: { Type: "AWS::KMS::Key", Properties: { KeySpec: "RSA_2048", KeyUsage: "SIGN_VERIFY" } },
  Alias: { Type: "AWS::KMS::Alias", Properties: { AliasName: "alias/signing", TargetKeyId: ref("Key") } },
  One: { Type: "AWS::SSM::Parameter", Properties: { Name: "/app/one", Type: "String", Value: "1" } },
  Two: { Type: "AWS::SSM::Parameter", Properties: { Name: "/app/two", Type: "String", Value: "2" } },
};

let platform: Running;
let call: ReturnType<typeof functionCaller>["call"];

beforeAll(async () => {
  platform = await run({
    functions: template(
      resources,
      lambdaFunction("Nothing"),
      lambdaFunction("Reader", {
        statements: [
          allow("secretsmanager:Get*", ref("Secret")),
          allow(["ssm:GetParameter", "ssm:GetParameters"], parameterArn("/app/*")),
          deny("ssm:*", parameterArn("/app/two")),
        ],
      }),
      lambdaFunction("Signer", {
        statements: [allow("kms:Sign", attribute("Key"), algorithm("RSASSA_PKCS1_V1_5_SHA_256"))],
      }),
      lambdaFunction("WrongSigner", {
        statements: [allow("kms:Sign", attribute("Key"), algorithm("RSASSA_PSS_SHA_256"))],
      }),
      lambdaFunction("AliasSigner", {
        statements: [allow("kms:Sign", "*", { StringLike: { "kms:RequestAlias": "alias/sign*" } })],
      }),
    ),
  });
  call = functionCaller(platform).call;
});

afterAll(() => platform.stop());

describe("a function may do what its role allows and nothing else", () => {
  test.each([
    ["Nothing", { do: "secret", id: "app/secret" }, "secretsmanager:GetSecretValue"],
    ["Nothing", { do: "parameter", name: "/app/one" }, "ssm:GetParameter"],
    ["Nothing", { do: "sign", key: "alias/signing" }, "kms:Sign"],
    ["Reader", { do: "sign", key: "alias/signing" }, "kms:Sign"],
    ["Reader", { do: "secret", id: "app/other" }, "secretsmanager:GetSecretValue"],
    ["Signer", { do: "secret", id: "app/secret" }, "secretsmanager:GetSecretValue"],
    ["WrongSigner", { do: "sign", key: "alias/signing" }, "kms:Sign"],
  ])("%s is refused %j", async (name, event, action) => {
    expect(await call(name, event)).toMatchObject({
      error: "AccessDeniedException",
      message: expect.stringMatching(
        new RegExp(`assumed-role/.*/${name} is not authorized to perform: ${action} on .*identity-based`),
      ),
    });
  });

  test("an explicit denial overrides a permission", async () => {
    expect(await call("Reader", { do: "parameter", name: "/app/one" })).toEqual({ ok: "1" });
    expect(await call("Reader", { do: "parameter", name: "/app/two" })).toMatchObject({
      error: "AccessDeniedException",
      message: expect.stringContaining("with an explicit deny"),
    });
  });

  test("wildcards and conditions permit what they say", async () => {
    expect(await call("Reader", { do: "secret", id: "app/secret" })).toEqual({ ok: "hidden" });
    expect(await call("Signer", { do: "sign", key: "alias/signing" })).toEqual({ ok: expect.any(String) });
    expect(await call("AliasSigner", { do: "sign", key: "alias/signing" })).toEqual({ ok: expect.any(String) });
  });

  test("each function has credentials of its own", async () => {
    const { as } = functionCaller(platform);
    const [reader, nothing] = await Promise.all([as("Reader"), as("Nothing")]);
    expect(reader.credentials.accessKeyId).not.toBe(nothing.credentials.accessKeyId);
    const ask = new GetParameterCommand({ Name: "/app/one" });
    expect((await new SSMClient(reader).send(ask)).Parameter?.Value).toBe("1");
    await expect(new SSMClient(nothing).send(ask)).rejects.toThrow("not authorized");
  });
});

describe("a signature is accepted only if it is valid", () => {
  const ask = (change: (settings: ReturnType<typeof sdkSettings>) => object) =>
    new SecretsManagerClient(change(sdkSettings(platform))).send(new GetSecretValueCommand({ SecretId: "app/secret" }));

  test("of a known key with its secret", async () => {
    expect((await ask((settings) => settings)).SecretString).toBe("hidden");
  });

  test("not of an unknown key, without the session's token, or with another secret", async () => {
    const { credentials } = platform;
    await expect(
      ask((all) => ({ ...all, credentials: { ...credentials, accessKeyId: "ASIAUNKNOWN" } })),
    ).rejects.toMatchObject({
      name: "UnrecognizedClientException",
    });
    await expect(
      ask((all) => ({ ...all, credentials: { ...credentials, sessionToken: "other" } })),
    ).rejects.toMatchObject({
      name: "UnrecognizedClientException",
    });
    await expect(
      ask((all) => ({ ...all, credentials: { ...credentials, secretAccessKey: "guess" } })),
    ).rejects.toMatchObject({
      name: "InvalidSignatureException",
    });
  });

  test("not for another body, and not after a quarter of an hour", async () => {
    const tampering = new KMSClient(sdkSettings(platform));
    tampering.middlewareStack.add(
      (next) => (args) => {
        const request = args.request as { body: string };
        request.body = request.body.replace("alias/signing", "alias/another");
        return next(args);
      },
      { step: "finalizeRequest", priority: "low" },
    );
    const sign = {
      KeyId: "alias/signing",
      Message: new Uint8Array(1),
      SigningAlgorithm: "RSASSA_PKCS1_V1_5_SHA_256",
    } as const;
    await expect(tampering.send(new SignCommand(sign))).rejects.toMatchObject({ name: "InvalidSignatureException" });
    await expect(ask((all) => ({ ...all, systemClockOffset: -20 * 60_000 }))).rejects.toThrow("Signature expired");
  });

  test("not if it is missing", async () => {
    const reply = await fetch(platform.awsEndpoint, { method: "POST", body: "{}" });
    expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining("MissingAuthenticationToken")]);
  });

  test("an unsupported service or operation is an error that names it", async () => {
    const ssm = new SSMClient(sdkSettings(platform));
    const { DescribeParametersCommand } = await import("@aws-sdk/client-ssm");
    await expect(ssm.send(new DescribeParametersCommand())).rejects.toThrow("does not support ssm:DescribeParameters");
  });
});

describe("an unsupported policy stops the start", () => {
  const boot = (statement: object) =>
    runForTest({ app: template(lambdaFunction("Function", { statements: [statement as never] })) });

  test.each([
    [{ ...allow("ssm:*", "*"), Condition: { IpAddress: { "aws:SourceIp": "10.0.0.0/8" } } }, "operator IpAddress"],
    [{ ...allow("ssm:*", "*"), Condition: { StringEquals: { "aws:username": "a" } } }, "key aws:username"],
    [{ Effect: "Allow", NotAction: "iam:*", Resource: "*" }, "FunctionPolicy (AWS::IAM::Policy)"],
    [allow("ssm:*", "arn:aws:ssm:*:*:parameter/${aws:username}"), "the variable in"],
  ])("%j", async (statement, reason) => {
    await expect(boot(statement)).rejects.toMatchObject({ name: "Refusal", message: expect.stringContaining(reason) });
  });

  test("an unknown managed policy, and a role that Lambda may not assume", async () => {
    const changed = (change: (role: Record<string, unknown>) => Record<string, unknown>) => {
      const all = lambdaFunction("Function");
      const role = all.FunctionRole as { Type: string; Properties: Record<string, unknown> };
      return runForTest({ app: template(all, { FunctionRole: { ...role, Properties: change(role.Properties) } }) });
    };
    await expect(
      changed((role) => ({ ...role, ManagedPolicyArns: ["arn:aws:iam::aws:policy/AdministratorAccess"] })),
    ).rejects.toThrow("AdministratorAccess is not known here");
    await expect(
      changed((role) => ({ ...role, AssumeRolePolicyDocument: { Version: "2012-10-17", Statement: [] } })),
    ).rejects.toThrow("app/Function (AWS::Lambda::Function): the role");
  });
});

describe("IAM wildcards", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", ":", "/", "*", "?"), maxLength: 12 });
  const slow = (pattern: string, value: string): boolean => {
    const escaped = pattern
      .replace(/[.+^${}()|[\]\\/]/g, "\\$&")
      .replaceAll("*", "[\\s\\S]*")
      .replaceAll("?", "[\\s\\S]");
    return new RegExp(`^${escaped}$`).test(value);
  };

  test("match like the equivalent regular expression", () => {
    fc.assert(
      fc.property(text, text, (pattern, value) => {
        expect(matchesWildcard(pattern, value)).toBe(slow(pattern, value));
      }),
      propertyRuns(5_000),
    );
  });

  test("match the text that a pattern was made of, in bounded time", () => {
    fc.assert(
      fc.property(fc.array(text.map((part) => part.replaceAll(/[*?]/g, ""))), text, (parts, between) => {
        expect(matchesWildcard(parts.join("*"), parts.join(between))).toBe(true);
      }),
    );
    // Processor time, because a busy machine does not increase it.
    const before = process.cpuUsage();
    expect(matchesWildcard(`${"a*".repeat(50)}b`, "a".repeat(5000))).toBe(false);
    expect(process.cpuUsage(before).user).toBeLessThan(500_000);
  });

  test("do not match beyond the colons of an ARN", () => {
    const arn = "arn:aws:ssm:us-east-1:000000000000:parameter/a:b";
    expect(matchesArn("*", arn)).toBe(true);
    expect(matchesArn("arn:aws:ssm:*:*:parameter/*", arn)).toBe(true);
    expect(matchesArn("arn:*:parameter/*", arn)).toBe(false);
    expect(matchesArn("arn:aws:*", arn)).toBe(false);
    expect(matchesArn("arn:aws:ssm:us-*-1:000000000000:param*", arn)).toBe(true);
  });
});
