import { randomBytes } from "node:crypto";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { MongoClient } from "mongodb";
import { inject } from "vitest";
import { tokenForge } from "./setup/forge-token.ts";
import { type HttpClient, httpClient } from "./setup/http-client.ts";
import { type Mail, mailsOf } from "./setup/mailbox.ts";
import { type Records, setRecords } from "./vendors/dns.ts";

export type { HttpReply } from "./setup/http-client.ts";

const platform = inject("platform");

/** The HTTP API. Every reply is validated against the OpenAPI document before a test sees it. */
export const http: HttpClient = httpClient(platform.url);

/** Signs tokens that were never issued. */
export const forge = tokenForge(platform);

let mailDatabase: Promise<MongoClient> | undefined;

/** The mails to an address, oldest first. Waits for those that are on their way. */
export const mailsTo = async (email: string): Promise<Mail[]> => {
  mailDatabase ??= databaseClient();
  return mailsOf((await mailDatabase).db("base"), platform.mailDirectory, email);
};

/** Gives a name its records in the DNS that the platform asks. */
export const dnsRecords = (name: string, records: Records): Promise<void> => setRecords(platform.zone, name, records);

export const platformUrl = platform.url;

/** In the names of queues and functions. */
export const { stage } = platform;

/** For clients of AWS services. */
export const awsSettings = {
  endpoint: platform.awsEndpoint,
  region: platform.region,
  credentials: platform.credentials,
};

const lambda = new LambdaClient(awsSettings);

/** Invokes a Lambda as an operator. Raises its error as an Error whose name is the fault's code. */
export const invokeOperation = async <T = unknown>(operation: string, payload: unknown): Promise<T> => {
  const answer = await lambda.send(
    new InvokeCommand({
      FunctionName: `tenantry-${platform.stage}-${operation}`,
      Payload: Buffer.from(JSON.stringify(payload)),
    }),
  );
  const body = JSON.parse(Buffer.from(answer.Payload ?? []).toString("utf8"));
  if (answer.FunctionError === undefined) return body as T;
  const error = new Error(body.errorMessage);
  error.name = body.errorType;
  throw error;
};

/** The ARN of an execution of a workflow of the platform. */
export const executionArn = (workflow: string, name: string): string =>
  `arn:aws:states:${platform.region}:000000000000:execution:tenantry-${platform.stage}-${workflow}:${name}`;

/** A connection to the database, for manual changes by an operator and for checks of what is stored. */
export const databaseClient = (): Promise<MongoClient> => new MongoClient(platform.mongoUri).connect();

export interface User {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  /** An access token. */
  readonly token: string;
  readonly refreshToken: string;
  readonly organizationId: string;
}

const unique = (): string => randomBytes(6).toString("hex");

const TEST_PASSWORD = "correct horse battery staple";

const subjectOf = (token: string): { sub: string; org: string } =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));

export const signIn = async (email: string, password: string = TEST_PASSWORD): Promise<User> => {
  const { body } = await http.post("/v1/oauth2/login", { form: { username: email, password }, expect: 200 });
  const { sub, org } = subjectOf(body.access_token);
  return {
    id: sub,
    email,
    password,
    token: body.access_token,
    refreshToken: body.refresh_token,
    organizationId: org,
  };
};

/** A new organization with its owner, signed in. */
export const registerOrganization = async (name = `Org ${unique()}`): Promise<User> => {
  // A domain of its own: one organization at a time can send in its name.
  const email = `owner@${unique()}.example.test`;
  const { body } = await http.post("/v1/register", {
    body: { organization_name: name, email, password: TEST_PASSWORD, first_name: "Olga", last_name: "Owner" },
    expect: 201,
  });
  return {
    id: subjectOf(body.access_token).sub,
    email,
    password: TEST_PASSWORD,
    token: body.access_token,
    refreshToken: body.refresh_token,
    organizationId: body.organization_id,
  };
};

type Person = Pick<User, "email" | "password"> & Partial<Pick<User, "token">>;

const lastMailed = async (email: string, pattern: RegExp): Promise<string> =>
  (await mailsTo(email)).map(({ text }) => pattern.exec(text)?.[1]).findLast((found) => found !== undefined) ?? "";

/** The token of the last confirmation mail. */
export const confirmationTokenOf = (email: string): Promise<string> => lastMailed(email, /Your token is (tec_\S+)/);

/** Confirms an email: by the mailed code of a sign-in if the person has such a factor, else by a link. */
export const confirmEmail = async ({ email, password, token: held }: Person): Promise<void> => {
  const form = { username: email, password };
  const { body } = held === undefined ? await http.post("/v1/oauth2/login", { form, expect: 200 }) : { body: null };
  if (body?.two_fa_required) {
    const code = await lastMailed(email, /Your code is (\d{6})/);
    await http.post("/v1/oauth2/verify-2fa", { body: { email, code, session_id: body.session_id }, expect: 200 });
  } else {
    await http.post("/v1/auth/email/confirmation", { token: held ?? body.access_token, expect: 202 });
    await http.post("/v1/auth/email/confirm", {
      body: { token: await confirmationTokenOf(email), password },
      expect: 204,
    });
  }
};

/** Adds a person who is a user of another organization. */
export const joinOrganization = async (person: Person, organizationId: string): Promise<void> => {
  await confirmEmail(person);
  const { email, password } = person;
  const membership = { organization_id: organizationId, email, password, name: "Mia Member" };
  await invokeOperation("create-user", membership);
};

/** Makes the domain of a person's address one that the organization has proven, so that mail may leave in its name. */
export const holdSenderDomain = async ({ email, organizationId }: Pick<User, "email" | "organizationId">) => {
  const mongo = await databaseClient();
  try {
    await mongo
      .db("base")
      .collection<{ _id: string }>("domain_holder")
      .updateOne(
        { _id: email.split("@")[1] ?? "" },
        { $set: { organization_id: organizationId, since: new Date() } },
        { upsert: true },
      );
  } finally {
    await mongo.close();
  }
};

export interface MemberOptions {
  /** Ids or names of permission records; by default the standard member's. */
  readonly permissions?: readonly string[];
  readonly isAccountAdmin?: boolean;
  readonly isSuperuser?: boolean;
  readonly twoFactor?: "email";
}

/** Another user of an organization, not signed in; by default a plain member. */
export const createUser = async (
  organizationId: string,
  options: MemberOptions = {},
): Promise<Pick<User, "email" | "password">> => {
  const email = `user-${unique()}@example.test`;
  await invokeOperation("create-user", {
    organization_id: organizationId,
    email,
    name: "Mia Member",
    password: TEST_PASSWORD,
    ...(options.permissions ? { permissions: options.permissions } : {}),
    ...(options.isAccountAdmin ? { is_account_admin: true } : {}),
    ...(options.twoFactor ? { two_factor: options.twoFactor } : {}),
  });
  const person = { email, password: TEST_PASSWORD };
  if (options.isSuperuser) {
    await confirmEmail(person);
    await invokeOperation("grant-superuser", { email, granted: true });
  }
  return person;
};

/** Another user of an organization, signed in. */
export const addUser = async (organizationId: string, options: MemberOptions = {}): Promise<User> =>
  signIn((await createUser(organizationId, options)).email);
