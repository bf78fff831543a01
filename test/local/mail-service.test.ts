import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { ServiceError } from "../../infra/local/sdk/call.ts";
import { type HttpClient, httpClient } from "../setup/http-client.ts";
import { type LaunchedPlatform, launchPlatform } from "../setup/launch-platform.ts";
import { readMails } from "../setup/mailbox.ts";
import { temporaryDirectory } from "./run.ts";

/** A hook before SES handles a request. */
let ses: () => Promise<void> | void;
let launched: LaunchedPlatform;
let http: HttpClient;
const dataDir = temporaryDirectory();

beforeAll(async () => {
  launched = await launchPlatform({
    bundles: inject("platform").bundles,
    passwordHashes: "weak",
    dataDir,
    beforeCall: (service) => (service === "ses" ? ses() : undefined),
  });
  http = httpClient(launched.access.url);
});
beforeEach(() => {
  ses = () => undefined;
});
afterAll(async () => {
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
const allMailsTo = (email: string) => readMails(launched.access.mailDirectory, email);
/** Except the mail of every registration. */
const mailsTo = (email: string) => {
  const [first, ...more] = allMailsTo(email);
  expect(first?.headers.subject).toBe("Confirm your email");
  return more;
};
const errorsOf = (operation: string): string[] =>
  launched.platform
    .logs(`tenantry-${launched.access.stage}-${operation}`)
    .filter((line) => line.includes('"level":"error"'));

describe("while the mail service refuses", () => {
  it("a change of the password succeeds, and the log says that the person was not told", async () => {
    const { email, token } = await register();
    ses = down;
    const body = { current_password: password, password: "another quite long passphrase" };
    expect((await http.post("/v1/auth/password", { token, body })).status).toBe(204);
    expect(mailsTo(email)).toEqual([]);
    const form = { username: email, password: body.password };
    await http.post("/v1/oauth2/login", { form, expect: 200 });
    const [error, ...more] = errorsOf("change-password");
    expect(more).toEqual([]);
    expect(JSON.parse(error ?? "{}")).toMatchObject({
      notice: "password_changed",
      err: { message: "Email address is not verified." },
    });
    expect(error).not.toContain(email);
  });

  it("a registration succeeds, its mail can be requested again, and failed mails do not count towards the limit", async () => {
    ses = down;
    const { email, token } = await register();
    expect(errorsOf("register").map((line) => JSON.parse(line).err.message)).toEqual([
      "Email address is not verified.",
    ]);
    expect(errorsOf("register").join()).not.toContain(email);
    const ask = () => http.post("/v1/auth/email/confirmation", { token });
    for (let time = 0; time < 3; time += 1) {
      const { status, body, headers } = await ask();
      expect([status, body.code, headers.get("retry-after")]).toEqual([503, "dependency_unavailable", "10"]);
    }
    ses = () => undefined;
    expect((await ask()).status).toBe(202);
    expect(allMailsTo(email)).toHaveLength(1);
  });

  it("the reply to a request for a new password is the same, and does not count towards the limit", async () => {
    const { email } = await register();
    ses = down;
    for (let time = 0; time < 3; time += 1) expect((await forgot(email)).status).toBe(202);
    expect(errorsOf("forgot-password")).toHaveLength(3);
    ses = () => undefined;
    await forgot(email);
    expect(mailsTo(email)).toHaveLength(1);
  });
});

describe("while the mail service is slow", () => {
  it("a registration does not wait longer for it than for any other mail", async () => {
    const silence = Promise.withResolvers<void>();
    ses = () => silence.promise;
    const { email } = await register();
    silence.resolve();
    expect(errorsOf("register").at(-1)).toContain("TimeoutError");
    // It may have been accepted nevertheless, so its link counts as one of the three.
    const token = (await http.post("/v1/oauth2/login", { form: { username: email, password }, expect: 200 })).body
      .access_token;
    const statuses = [];
    for (let time = 0; time < 3; time += 1) {
      statuses.push((await http.post("/v1/auth/email/confirmation", { token })).status);
    }
    expect(statuses).toEqual([202, 202, 429]);
  });

  it("the reply waits until the mail has been accepted, because a function stops after its reply", async () => {
    const { email, token } = await register();
    ses = () => sleep(1_000);
    const body = { current_password: password, password: "another quite long passphrase" };
    await http.post("/v1/auth/password", { token, body, expect: 204 });
    expect(mailsTo(email).map(({ headers }) => headers.subject)).toContain("Your password was changed");
  });

  it("the reply to a request for a new password comes at its fixed time, with and without an account", async () => {
    const { email } = await register();
    const silence = Promise.withResolvers<void>();
    ses = () => silence.promise;
    const timed = async (address: string): Promise<number> => {
      const start = performance.now();
      expect((await forgot(address)).status).toBe(202);
      return performance.now() - start;
    };
    // Both get replies although the mail service never does.
    const [known, nobody] = [await timed(email), await timed("nobody@example.test")];
    silence.resolve();
    // Neither comes before the fixed time, and the mail is given up within it. test/endpoints/identity/timing.test.ts
    // compares them.
    expect(Math.min(known, nobody)).toBeGreaterThan(1_990);
    expect(errorsOf("forgot-password").at(-1)).toContain("could not be mailed");
  });
});

describe("more concurrent requests for a new password than the limit", () => {
  const slots = async (held: object[]): Promise<void> => {
    const mongo = await new MongoClient(launched.access.mongoUri).connect();
    const collection = mongo.db("base").collection<{ _id: string; held: object[] }>("slot");
    await collection.updateOne({ _id: "password_reset" }, { $set: { held } }, { upsert: true });
    await mongo.close();
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
    expect(mailsTo(email)).toEqual([]);
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
    expect(mailsTo(email)).toHaveLength(1);
  });

  it("free their slots, also when they are interrupted", async () => {
    const { email } = await register();
    await slots(held(60, Date.now() - 1));
    expect((await forgot(email)).status).toBe(202);
    const mongo = await new MongoClient(launched.access.mongoUri).connect();
    const slot = await mongo.db("base").collection<{ _id: string }>("slot").findOne({ _id: "password_reset" });
    await mongo.close();
    expect(slot).toMatchObject({ held: [] });
  });
});
