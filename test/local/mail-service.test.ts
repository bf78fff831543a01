import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { ServiceError } from "../../infra/local/sdk/call.ts";
import { type HttpClient, httpClient } from "../setup/http-client.ts";
import { type LaunchedPlatform, launchPlatform } from "../setup/launch-platform.ts";
import { mailsOf } from "../setup/mailbox.ts";
import { temporaryDirectory } from "./run.ts";

/** A hook before SES handles a request. */
let ses: () => Promise<void> | void;
let launched: LaunchedPlatform;
let http: HttpClient;
let mongo: MongoClient;
const dataDir = temporaryDirectory();

beforeAll(async () => {
  launched = await launchPlatform({
    bundles: inject("platform").bundles,
    passwordHashes: "weak",
    dataDir,
    beforeCall: (service) => (service === "ses" ? ses() : undefined),
  });
  http = httpClient(launched.access.url);
  mongo = await new MongoClient(launched.access.mongoUri).connect();
});
beforeEach(() => {
  ses = () => undefined;
});
afterAll(async () => {
  await mongo.close();
  await launched.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const down = (): never => {
  throw new ServiceError("BadRequestException", "Email address is not verified.");
};

let people = 0;
const password = "correct horse battery staple";
const register = async (): Promise<{ email: string; token: string }> => {
  people += 1;
  const email = `owner-${people}@example.test`;
  const body = { organization_name: `Organization ${people}`, email, password };
  return { email, token: (await http.post("/v1/register", { body, expect: 201 })).body.access_token };
};
const forgot = (email: string) => http.post("/v1/forgot-password", { body: { email } });
const base = () => mongo.db("base");
const mailsTo = (email: string) => mailsOf(base(), launched.access.mailDirectory, email);
const subjectsTo = async (email: string) => (await mailsTo(email)).map(({ headers }) => headers.subject);
const collection = (name: string) => base().collection<Document & { _id: string }>(name);
const records = (email: string) => collection("platform_mail").find({ to: email }).sort({ _id: 1 }).toArray();
/** Generous for a busy machine. */
const patiently = { timeout: 120_000, interval: 20 };
const become = (email: string, statuses: readonly string[]) =>
  expect.poll(async () => (await records(email)).map(({ status }) => status), patiently).toEqual(statuses);
/** Waits until every request and every mail was handled: a mail's contents are deleted after its status is written. */
const allIsHandled = () =>
  expect.poll(() => collection("_outbox").countDocuments({ status: { $ne: "failed" } }), patiently).toBe(0);
const logsOf = (name: string): string => launched.platform.logs(`tenantry-${launched.access.stage}-${name}`).join("\n");

const invoke = async (name: string, payload: object) => {
  const { awsEndpoint: endpoint, region, credentials, stage } = launched.access;
  const lambda = new LambdaClient({ endpoint, region, credentials });
  const command = new InvokeCommand({ FunctionName: `tenantry-${stage}-${name}`, Payload: JSON.stringify(payload) });
  const answer = JSON.parse((await lambda.send(command)).Payload?.transformToString() ?? "null");
  if ("errorType" in answer) throw Object.assign(new Error(answer.errorMessage), { name: answer.errorType });
  return answer;
};

describe("while the mail service refuses", () => {
  it("a change of the password succeeds, and operators are told that the person was not, without the address", async () => {
    const { email, token } = await register();
    await become(email, ["sent"]);
    ses = down;
    const body = { current_password: password, password: "another quite long passphrase" };
    expect((await http.post("/v1/auth/password", { token, body })).status).toBe(204);
    await become(email, ["sent", "failed"]);
    await allIsHandled();
    expect((await records(email))[1]?.events.at(-1)).toMatchObject({
      type: "failed",
      detail: "BadRequestException: Email address is not verified.",
    });
    expect(logsOf("platform-mail")).toContain('"alarm":"platform-mail-failed"');
    expect(logsOf("platform-mail")).not.toContain(email);
    expect(await collection("platform_mail_body").countDocuments()).toBe(0);
  });

  it("links can be asked for again, because failed mails do not count towards the limit", async () => {
    ses = down;
    const { email, token } = await register();
    await become(email, ["failed"]);
    for (let time = 1; time <= 4; time += 1) {
      await http.post("/v1/auth/email/confirmation", { token, expect: 202 });
      await become(
        email,
        Array.from({ length: time + 1 }, () => "failed"),
      );
      await allIsHandled();
    }
    for (let time = 0; time < 4; time += 1) {
      expect((await forgot(email)).status).toBe(202);
      await become(
        email,
        Array.from({ length: time + 6 }, () => "failed"),
      );
      await allIsHandled();
    }
    ses = () => undefined;
    await http.post("/v1/auth/email/confirmation", { token, expect: 202 });
    expect(await subjectsTo(email)).toEqual(["Confirm your email"]);
  });
});

describe("while the mail service is down", () => {
  it("a sign-in answers, and its code comes once when the service is up again", async () => {
    const { email } = await register();
    await become(email, ["sent"]);
    await collection("user").updateOne({ email }, { $set: { two_factor: "email" } });
    let refused = 0;
    ses = () => {
      refused += 1;
      if (refused === 1) throw new ServiceError("TooManyRequestsException", "Maximum sending rate exceeded.", 429);
    };
    const form = { username: email, password };
    const { body } = await http.post("/v1/oauth2/login", { form, expect: 200 });
    expect(body.two_fa_required).toBe(true);
    expect(await subjectsTo(email)).toEqual(["Confirm your email", "Your sign-in code"]);
    const [, mail] = await records(email);
    expect([mail?.attempts, mail?.events.map(({ type }: { type: string }) => type)]).toEqual([
      2,
      ["queued", "not_accepted", "sent"],
    ]);
  });

  it("a mail that is of no use any more is not sent", async () => {
    const { email } = await register();
    await become(email, ["sent"]);
    const silence = Promise.withResolvers<void>();
    ses = async () => {
      await silence.promise;
      throw new ServiceError("TooManyRequestsException", "Maximum sending rate exceeded.", 429);
    };
    await forgot(email);
    await become(email, ["sent", "sending"]);
    await collection("platform_mail").updateOne(
      { to: email, status: "sending" },
      { $set: { valid_until: new Date(0) } },
    );
    silence.resolve();
    await become(email, ["sent", "failed"]);
    expect(await subjectsTo(email)).toEqual(["Confirm your email"]);
  });
});

describe("a mail whose message is delivered many times", () => {
  it("is sent once, and messages that name an organization or another entry send nothing", async () => {
    const { email } = await register();
    await become(email, ["sent"]);
    await allIsHandled();
    const silence = Promise.withResolvers<void>();
    ses = () => silence.promise;
    await forgot(email);
    await become(email, ["sent", "sending"]);
    const [entry] = await collection("_outbox").find({ queue: "platform-mail" }).toArray();
    const { awsEndpoint: endpoint, region, credentials, stage } = launched.access;
    const sqs = new SQSClient({ endpoint, region, credentials });
    const QueueUrl = `${endpoint}/000000000000/tenantry-${stage}-platform-mail`;
    const deliver = (organization: string, id: string) =>
      sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify({ organization, id }) }));
    const { _id } = (await collection("organization").findOne({})) ?? { _id: "" };
    const id = entry?._id ?? "";
    const again = Array.from({ length: 5 }, () => deliver("base", id));
    const early = await Promise.all([...again, deliver(_id, id), deliver("base", "none")]);
    silence.resolve();
    expect(await subjectsTo(email)).toEqual(["Confirm your email", "Set a new password"]);
    await allIsHandled();
    const late = await deliver("base", id);
    for (const { MessageId } of [...early, late])
      await expect.poll(() => logsOf("platform-mail"), patiently).toContain(`"message_id":"${MessageId}"`);
    expect(await subjectsTo(email)).toHaveLength(2);
  });
});

describe("the contents of a mail", () => {
  it("are nowhere to be read, neither before it is sent nor after", async () => {
    const { email } = await register();
    const silence = Promise.withResolvers<void>();
    ses = () => silence.promise;
    await forgot(email);
    await expect
      .poll(async () => (await records(email)).map(({ kind }) => kind), patiently)
      .toContain("password_reset");
    const stored = async (): Promise<string> => {
      const names = (await base().listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
      const all = await Promise.all(names.map((name) => collection(name).find().toArray()));
      return JSON.stringify([all, await invoke("platform-mails", { to: email })]);
    };
    const before = await stored();
    silence.resolve();
    const mails = await mailsTo(email);
    await allIsHandled();
    const secrets = mails.map(({ text }) => /Your token is (\S+)/.exec(text)?.[1] ?? "none");
    expect(secrets.at(-1)).toMatch(/^tpr_/);
    const logs = ["forgot-password", "password-reset", "platform-mail", "register", "platform-mails"].map(logsOf);
    for (const text of [before, await stored(), ...logs]) {
      for (const secret of [...secrets, "Set a new password", "open this page"]) expect(text).not.toContain(secret);
    }
    expect(await collection("platform_mail_body").countDocuments()).toBe(0);
  });
});

describe("more requests for a new password within two seconds than the limit", () => {
  const slots = async (held: object[]): Promise<void> => {
    await collection("slot").updateOne({ _id: "password_reset" }, { $set: { held } }, { upsert: true });
  };
  const held = (count: number, until: number, network?: string) =>
    Array.from({ length: count }, (_, index) => ({
      id: `slot-${index}`,
      network: network ?? `network-${index}`,
      until: new Date(until),
    }));
  const soon = (): number => Date.now() + 60_000;

  const submit = async (email: string) => {
    const page = await http.get("/v1/sign-in/forgot-password", { expect: 200 });
    const [cookie = ""] = page.headers.getSetCookie().map((line) => line.split(";", 1)[0]);
    const form_token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
    return http.post("/v1/sign-in/forgot-password", { form: { email, form_token }, headers: { cookie } });
  };

  it("are refused at once, with and without an account, also on the page", async () => {
    const { email } = await register();
    await slots(held(60, soon()));
    for (const address of [email, "nobody@example.test"]) {
      const { status, headers, body } = await forgot(address);
      expect([status, headers.get("retry-after"), body.code]).toEqual([429, "2", "too_many_attempts"]);
      const page = await submit(address);
      expect([page.status, page.headers.get("retry-after")]).toEqual([429, "2"]);
      expect(page.text).toContain("Too many people ask for a new password right now");
      expect(page.text).toContain(`value="${address}"`);
    }
    expect(await subjectsTo(email)).toEqual(["Confirm your email"]);
  });

  it("leave a slot for other networks if they come from one network", async () => {
    const { email } = await register();
    const ours = createHash("sha256")
      .update(JSON.stringify(["reset", "127.0.0.1"]))
      .digest("base64url");
    await slots(held(30, soon(), ours));
    expect((await forgot(email)).status).toBe(429);
    await slots([...held(29, soon(), ours), ...held(30, soon())]);
    expect((await forgot(email)).status).toBe(202);
    expect(await subjectsTo(email)).toHaveLength(2);
  });

  it("are accepted again after two seconds", async () => {
    const { email } = await register();
    await slots(held(60, Date.now() - 1));
    expect((await forgot(email)).status).toBe(202);
    const left = (await collection("slot").findOne({ _id: "password_reset" }))?.held;
    expect(left).toHaveLength(1);
    expect(left[0].until.getTime()).toBeLessThanOrEqual(Date.now() + 2_000);
  });
});
