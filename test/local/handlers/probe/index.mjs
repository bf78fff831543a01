// One handler that does what it is told, for the tests of the local runtime.
import { existsSync, writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { DecryptCommand, EncryptCommand, KMSClient, SignCommand } from "@aws-sdk/client-kms";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";

const bytes = new TextEncoder().encode("message");
let calls = 0;
let active = 0;

const attempt = async (work) => {
  try {
    return { ok: await work() };
  } catch (error) {
    return { error: error.name, message: error.message };
  }
};

const actions = {
  event: (event) => event,
  context: (_, context) => ({
    name: context.functionName,
    arn: context.invokedFunctionArn,
    requestId: context.awsRequestId,
    memory: context.memoryLimitInMB,
    remaining: context.getRemainingTimeInMillis(),
  }),
  environment: () => process.env,
  calls: () => ({ calls }),
  sleep: async ({ ms }) => {
    await setTimeout(Number(ms));
    return { calls, active };
  },
  hold: async ({ until }) => {
    while (!existsSync(until)) await setTimeout(5);
    return { calls, active };
  },
  spin: () => {
    for (;;);
  },
  memory: () => {
    const held = [];
    for (;;) held.push(new Array(100_000).fill(held.length));
  },
  exit: () => process.exit(3),
  throw: () => {
    throw new TypeError("as asked");
  },
  later: () => {
    globalThis.setTimeout(() => {
      throw new RangeError("out of turn");
    }, 1);
    return setTimeout(1000);
  },
  log: () => {
    console.log("by console");
    process.stdout.write("by stream\n");
    writeSync(1, "by descriptor\n");
    console.error("by error");
    return "logged";
  },
  request: (_, { awsRequestId }) => {
    console.log(JSON.stringify({ request_id: awsRequestId, organization: "org_of_the_caller" }));
    return {};
  },
  bare: ({ value }) => JSON.parse(value),
  reply: ({ reply }) => JSON.parse(reply),
  nothing: () => undefined,
  large: ({ size }) => "x".repeat(Number(size)),
  binary: () => ({
    statusCode: 200,
    headers: { "content-type": "image/png" },
    body: Buffer.from([0, 255, 1]).toString("base64"),
    isBase64Encoded: true,
  }),
  secret: ({ id }) =>
    attempt(
      async () => (await new SecretsManagerClient().send(new GetSecretValueCommand({ SecretId: id }))).SecretString,
    ),
  parameter: ({ name }) =>
    attempt(async () => (await new SSMClient().send(new GetParameterCommand({ Name: name }))).Parameter.Value),
  sign: ({ key, algorithm = "RSASSA_PKCS1_V1_5_SHA_256" }) =>
    attempt(async () => {
      const command = new SignCommand({ KeyId: key, Message: bytes, SigningAlgorithm: algorithm });
      return Buffer.from((await new KMSClient().send(command)).Signature).toString("base64");
    }),
  encrypt: ({ key, tenant }) =>
    attempt(async () => {
      const context = { EncryptionContext: { tenant } };
      const kms = new KMSClient();
      const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId: key, Plaintext: bytes, ...context }));
      const { Plaintext } = await kms.send(new DecryptCommand({ CiphertextBlob, ...context }));
      return new TextDecoder().decode(Plaintext);
    }),
};

export const handler = async (event, context) => {
  calls += 1;
  active += 1;
  try {
    const options = event.queryStringParameters ?? event;
    return await (actions[options.do] ?? actions.event)(
      options.do === undefined || options.do === "event" ? event : options,
      context,
    );
  } finally {
    active -= 1;
  }
};
