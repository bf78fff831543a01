import { createHash, createPublicKey, verify } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  DecryptCommand,
  DescribeKeyCommand,
  EncryptCommand,
  GenerateDataKeyCommand,
  GetPublicKeyCommand,
  KMSClient,
  SignCommand,
} from "@aws-sdk/client-kms";
import { DescribeSecretCommand, GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { GetParametersCommand, SSMClient } from "@aws-sdk/client-ssm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { functionCaller } from "./function-caller.ts";
import { type Running, run, runForTest, sdkSettings, temporaryDirectory } from "./run.ts";
import { allow, attribute, lambdaFunction, ref, template } from "./stack.ts";

const root = { "Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root" };

const data = template(
  {
    Signing: { Type: "AWS::KMS::Key", Properties: { KeySpec: "RSA_2048", KeyUsage: "SIGN_VERIFY" } },
    SigningAlias: { Type: "AWS::KMS::Alias", Properties: { AliasName: "alias/signing", TargetKeyId: ref("Signing") } },
    Data: { Type: "AWS::KMS::Key", Properties: { EnableKeyRotation: true } },
    Other: { Type: "AWS::KMS::Key", Properties: {} },
    DataAlias: { Type: "AWS::KMS::Alias", Properties: { AliasName: "alias/data", TargetKeyId: attribute("Data") } },
    OtherAlias: { Type: "AWS::KMS::Alias", Properties: { AliasName: "alias/other", TargetKeyId: ref("Other") } },
    Closed: {
      Type: "AWS::KMS::Key",
      Properties: { KeyPolicy: { Statement: [allowPrincipal("kms:DescribeKey")] } },
    },
    ClosedAlias: { Type: "AWS::KMS::Alias", Properties: { AliasName: "alias/closed", TargetKeyId: ref("Closed") } },
    Generated: {
      Type: "AWS::SecretsManager::Secret",
      Properties: {
        Name: "app/generated",
        GenerateSecretString: {
          SecretStringTemplate: '{"user":"app"}',
          GenerateStringKey: "password",
          PasswordLength: 40,
          ExcludePunctuation: true,
          ExcludeCharacters: "abc",
        },
      },
    },
    Mongo: { Type: "AWS::SecretsManager::Secret", Properties: { Name: "app/test/mongodb", SecretString: "{}" } },
    Parameter: {
      Type: "AWS::SSM::Parameter",
      Properties: { Name: "/app/one", Type: "String", Value: attribute("Data") },
    },
  },
  lambdaFunction("Encrypter", {
    statements: [
      allow(["kms:Encrypt", "kms:Decrypt"], attribute("Data"), {
        StringEquals: { "kms:EncryptionContext:tenant": "a" },
      }),
    ],
  }),
);

function allowPrincipal(action: string) {
  return { Effect: "Allow", Principal: { AWS: root }, Action: action, Resource: "*" };
}

const dataDir = temporaryDirectory();
const mongoUri = "mongodb://127.0.0.1:9/";
const start = () => run({ data }, { dataDir, mongoUri, clusters: { second: "mongodb://127.0.0.1:10/" } });

let platform: Running;
let kms: KMSClient;
let secrets: SecretsManagerClient;

const connect = async () => {
  platform = await start();
  kms = new KMSClient(sdkSettings(platform));
  secrets = new SecretsManagerClient(sdkSettings(platform));
};

beforeAll(connect);
afterAll(async () => {
  await platform.stop();
  rmSync(dataDir, { recursive: true });
});

const message = new TextEncoder().encode("what is signed");
const publicKey = async () => {
  const { PublicKey } = await kms.send(new GetPublicKeyCommand({ KeyId: "alias/signing" }));
  return createPublicKey({ key: Buffer.from(PublicKey ?? []), format: "der", type: "spki" });
};
const sign = async (Message: Uint8Array, MessageType: "RAW" | "DIGEST") => {
  const command = new SignCommand({
    KeyId: "alias/signing",
    Message,
    MessageType,
    SigningAlgorithm: "RSASSA_PKCS1_V1_5_SHA_256",
  });
  return Buffer.from((await kms.send(command)).Signature ?? []);
};

describe("KMS", () => {
  test("signs a message and a digest so that the public key verifies both", async () => {
    const key = await publicKey();
    expect(key.asymmetricKeyDetails?.modulusLength).toBe(2048);
    expect(verify("sha256", message, key, await sign(message, "RAW"))).toBe(true);
    expect(verify("sha256", message, key, await sign(createHash("sha256").update(message).digest(), "DIGEST"))).toBe(
      true,
    );
    expect(verify("sha256", new Uint8Array(3), key, await sign(message, "RAW"))).toBe(false);
  });

  test("encrypts for one key and one encryption context", async () => {
    const EncryptionContext = { tenant: "a", purpose: "field" };
    const { CiphertextBlob } = await kms.send(
      new EncryptCommand({ KeyId: "alias/data", Plaintext: message, EncryptionContext }),
    );
    const decrypt = (more: object) => kms.send(new DecryptCommand({ CiphertextBlob, EncryptionContext, ...more }));
    expect((await decrypt({ EncryptionContext: { purpose: "field", tenant: "a" } })).Plaintext).toEqual(message);
    await expect(decrypt({ EncryptionContext: { tenant: "b" } })).rejects.toMatchObject({
      name: "InvalidCiphertextException",
    });
    await expect(decrypt({ KeyId: "alias/other" })).rejects.toMatchObject({ name: "IncorrectKeyException" });
    const changed = Uint8Array.from(CiphertextBlob ?? []);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    await expect(decrypt({ CiphertextBlob: changed })).rejects.toMatchObject({ name: "InvalidCiphertextException" });
  });

  test("generates data keys", async () => {
    const made = await kms.send(new GenerateDataKeyCommand({ KeyId: "alias/data", KeySpec: "AES_256" }));
    expect(made.Plaintext).toHaveLength(32);
    const { CiphertextBlob } = made;
    expect((await kms.send(new DecryptCommand({ CiphertextBlob }))).Plaintext).toEqual(made.Plaintext);
  });

  test("describes keys and reports invalid input", async () => {
    const { KeyMetadata } = await kms.send(new DescribeKeyCommand({ KeyId: "alias/signing" }));
    expect(KeyMetadata).toMatchObject({ KeyUsage: "SIGN_VERIFY", KeySpec: "RSA_2048", KeyState: "Enabled" });
    await expect(kms.send(new DescribeKeyCommand({ KeyId: "alias/none" }))).rejects.toMatchObject({
      name: "NotFoundException",
    });
    await expect(kms.send(new EncryptCommand({ KeyId: "alias/signing", Plaintext: message }))).rejects.toMatchObject({
      name: "InvalidKeyUsageException",
    });
  });

  test("evaluates the key's policy too", async () => {
    await kms.send(new DescribeKeyCommand({ KeyId: "alias/closed" }));
    await expect(kms.send(new EncryptCommand({ KeyId: "alias/closed", Plaintext: message }))).rejects.toMatchObject({
      name: "AccessDeniedException",
    });
  });

  test("restricts a function to the encryption context in its role", async () => {
    const { call } = functionCaller(platform);
    expect(await call("Encrypter", { do: "encrypt", key: "alias/data", tenant: "a" })).toEqual({ ok: "message" });
    expect(await call("Encrypter", { do: "encrypt", key: "alias/data", tenant: "b" })).toMatchObject({
      error: "AccessDeniedException",
    });
  });
});

describe("Secrets Manager", () => {
  test("generates what the template asks for", async () => {
    const {
      SecretString = "",
      ARN,
      Name,
    } = await secrets.send(new GetSecretValueCommand({ SecretId: "app/generated" }));
    expect(JSON.parse(SecretString)).toEqual({ user: "app", password: expect.stringMatching(/^[d-zA-Z0-9]{40}$/) });
    expect(Name).toBe("app/generated");
    const described = await secrets.send(new DescribeSecretCommand({ SecretId: ARN }));
    expect(described).toMatchObject({ Name: "app/generated", ARN });
  });

  test("gives the databases' URIs, which are not stored", async () => {
    const { SecretString = "" } = await secrets.send(new GetSecretValueCommand({ SecretId: "app/test/mongodb" }));
    expect(JSON.parse(SecretString)).toEqual({ default: mongoUri, second: "mongodb://127.0.0.1:10/" });
    expect(readFileSync(join(dataDir, "secrets.json"), "utf8")).not.toContain("mongodb://");
  });

  test("reports a secret that does not exist", async () => {
    await expect(secrets.send(new GetSecretValueCommand({ SecretId: "none" }))).rejects.toMatchObject({
      name: "ResourceNotFoundException",
    });
  });
});

test("SSM gives parameters and reports missing ones", async () => {
  const ssm = new SSMClient(sdkSettings(platform));
  const { Parameters, InvalidParameters } = await ssm.send(
    new GetParametersCommand({ Names: ["/app/one", "/app/none"] }),
  );
  expect(Parameters).toMatchObject([{ Name: "/app/one", Value: expect.stringContaining(":key/") }]);
  expect(InvalidParameters).toEqual(["/app/none"]);
});

describe("a restart of the platform", () => {
  test("keeps keys and secrets, in files that only this user can read", async () => {
    const signature = await sign(message, "RAW");
    const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId: "alias/data", Plaintext: message }));
    const secret = await secrets.send(new GetSecretValueCommand({ SecretId: "app/generated" }));
    await platform.stop();
    const files = ["secrets.json", ...readdirSync(join(dataDir, "kms")).map((name) => join("kms", name))];
    expect(files).toHaveLength(5);
    for (const file of files) expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, "kms")).mode & 0o777).toBe(0o700);
    await connect();
    expect(verify("sha256", message, await publicKey(), signature)).toBe(true);
    expect((await kms.send(new DecryptCommand({ CiphertextBlob }))).Plaintext).toEqual(message);
    const again = await secrets.send(new GetSecretValueCommand({ SecretId: "app/generated" }));
    expect([again.SecretString, again.VersionId, again.ARN]).toEqual([
      secret.SecretString,
      secret.VersionId,
      secret.ARN,
    ]);
  });

  test("with reset deletes them", async () => {
    const before = await publicKey();
    await platform.stop();
    const fresh = await run({ data }, { dataDir, reset: true });
    await fresh.stop();
    await connect();
    expect((await publicKey()).equals(before)).toBe(false);
  });
});

describe("the data directory", () => {
  const attempt = (options: object) => runForTest({ data: template() }, options);

  test("belongs to one running platform; a dead platform's lock is ignored", async () => {
    await expect(attempt({ dataDir })).rejects.toMatchObject({
      name: "Refusal",
      message: expect.stringMatching(/^Another platform is running on the data in .*\.$/),
    });
    const stale = temporaryDirectory();
    await (await run({ data: template() }, { dataDir: stale })).stop();
    writeFileSync(join(stale, "running.json"), JSON.stringify({ pid: process.pid, port: 1 }));
    await attempt({ dataDir: stale });
  });

  test("with other files is left alone, even with reset", async () => {
    const foreign = temporaryDirectory();
    writeFileSync(join(foreign, "thesis.txt"), "years of work");
    await expect(attempt({ dataDir: foreign, reset: true })).rejects.toThrow("holds other files");
    expect(readFileSync(join(foreign, "thesis.txt"), "utf8")).toBe("years of work");
    rmSync(foreign, { recursive: true });
  });

  test.each(["secrets.json", "kms"])("with damage in %s is refused in one sentence", async (name) => {
    const damaged = temporaryDirectory();
    await (await run({ data }, { dataDir: damaged })).stop();
    const file = name === "kms" ? join("kms", readdirSync(join(damaged, "kms"))[0] ?? "") : name;
    writeFileSync(join(damaged, file), '{"half":');
    await expect(run({ data }, { dataDir: damaged })).rejects.toMatchObject({
      name: "Refusal",
      message: expect.stringMatching(new RegExp(`^The file \\S+${name}\\S* is damaged; [^\\n]+\\.$`)),
    });
    rmSync(damaged, { recursive: true });
  });
});
