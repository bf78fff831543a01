import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { readSecret } from "#shared/foundation/aws/secrets";
import { createOrganizationDatabase } from "#shared/identity/accounts/new-organization";
import {
  abandonRegistration,
  activateRegistration,
  holdRegistration,
  type RegistrationHold,
} from "#shared/identity/accounts/registration-hold";
import { leakedPasswords } from "#shared/identity/credentials/leaked-passwords/leaked-passwords";
import { register, signIn, tokenSession } from "#shared/identity/identity";
import type { Identity } from "#shared/tenant/tenant";
import { newEmail, newPassword } from "../../endpoints/identity/people.ts";

const address = "203.0.113.7";
const keyService = vi.hoisted(() => ({ broken: false }));
const mailed = vi.hoisted((): string[] => []);
const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });

vi.mock("../../../shared/foundation/aws/secrets.ts", () => ({ readSecret: vi.fn() }));
// The queue belongs to the platform of the other tests.
vi.mock("../../../shared/platform-mail/queue.ts", async (importOriginal) => ({
  ...(await importOriginal<typeof import("../../../shared/platform-mail/queue.ts")>()),
  sealMail: async (mail: object) => mail,
  queueSealedMails: async (mails: readonly { to: string }[]) => {
    mailed.push(...mails.map(({ to }) => to));
  },
}));
vi.mock("../../../shared/foundation/aws/kms.ts", () => ({
  readPublicKey: async () => ({ keyId: "key", der: keys.publicKey.export({ format: "der", type: "spki" }) }),
  signWith: async (_: string, message: Uint8Array) => {
    if (keyService.broken) throw new Error("The key service does not answer.");
    return sign("sha256", message, keys.privateKey);
  },
}));

/** A cluster for this file only, so that its count of organizations is not changed by others. */
const cluster = `cluster-${randomBytes(4).toString("hex")}`;
const { mongoUri } = inject("platform");

let mongo: MongoClient;
beforeAll(async () => {
  vi.stubEnv("STAGE", "test");
  vi.stubEnv("ISSUER", "https://api.example.test");
  vi.stubEnv("REGISTRATION", "open");
  vi.stubEnv("MONGODB_SECRET_ARN", "arn");
  vi.stubEnv("SIGNING_KEY_ALIASES", "alias/a");
  vi.mocked(readSecret).mockResolvedValue(JSON.stringify({ default: mongoUri, [cluster]: mongoUri }));
  mongo = await new MongoClient(mongoUri).connect();
  await mongo
    .db("base")
    .collection<{ _id: string }>("cluster")
    .updateOne({ _id: cluster }, { $set: { open: true, organizations: 0 } }, { upsert: true });
  // This cluster has the fewest organizations, whatever else runs on this database.
  await mongo
    .db("base")
    .collection<{ _id: string }>("cluster")
    .updateOne({ _id: cluster }, { $inc: { organizations: -1_000_000 } });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await mongo.close();
});

const placed = async (): Promise<number> => {
  const entry = await mongo
    .db("base")
    .collection<{ _id: string; organizations: number }>("cluster")
    .findOne({ _id: cluster });
  return (entry?.organizations ?? 0) + 1_000_000;
};

const applicant = (email: string): Identity => ({
  _id: `user-${email}`,
  email,
  name: "Ada",
  first_name: null,
  last_name: null,
  password_hash: "",
  is_active: true,
  is_superuser: false,
  two_factor: "off",
  organizations: [],
  last_organization_id: null,
  created_date: new Date(),
  modified_date: new Date(),
});

/** The number of documents of a registration, in all databases. */
const traces = async (email: string, organizationId?: string): Promise<number> => {
  const base = mongo.db("base");
  const counts = [await base.collection("user").countDocuments({ email })];
  if (organizationId !== undefined) {
    counts.push(await base.collection<{ _id: string }>("organization").countDocuments({ _id: organizationId }));
    for (const name of ["organization_state", "schemas", "organization", "permission", "user"]) {
      counts.push(await mongo.db(organizationId).collection(name).countDocuments());
    }
  }
  return counts.reduce((sum, count) => sum + count, 0);
};

const begin = async (email: string): Promise<RegistrationHold> => {
  const hold = await holdRegistration(applicant(email), "Analytical Engines");
  await createOrganizationDatabase(hold.organization, hold.identity);
  return hold;
};

const nothingMore = async (): Promise<void> => undefined;

describe("a registration that fails", () => {
  it("leaves nothing behind and can be sent again", async () => {
    const registration = { organization_name: "Analytical Engines", email: newEmail(), password: newPassword, address };
    const before = await placed();
    keyService.broken = true;
    await expect(register(registration, leakedPasswords)).rejects.toThrow("The key service does not answer.");
    keyService.broken = false;
    expect(await traces(registration.email)).toBe(0);
    expect(await placed()).toBe(before);
    const left = await mongo.db("base").collection("organization").countDocuments({ cluster, status: "provisioning" });
    expect(left).toBe(0);
    expect(mailed).toEqual([]);
    await register(registration, leakedPasswords);
    expect(mailed).toEqual([registration.email]);
    expect(await placed()).toBe(before + 1);
    const signedIn = await signIn({ email: registration.email, password: newPassword, address }, tokenSession);
    expect(signedIn).toMatchObject({ token_type: "bearer" });
  });

  it("is refused as a whole while registration is closed", async () => {
    vi.stubEnv("REGISTRATION", "closed");
    const email = newEmail();
    const registration = { organization_name: "Analytical Engines", email, password: newPassword, address };
    const closed = register(registration, leakedPasswords);
    await expect(closed).rejects.toMatchObject({ code: "registration_closed", status: 403 });
    vi.stubEnv("REGISTRATION", "open");
    expect(await traces(email)).toBe(0);
  });
});

describe("a registration that is removed while it is still running", () => {
  it("cannot be activated any more, and may be removed twice", async () => {
    const email = newEmail();
    const before = await placed();
    const slow = await begin(email);
    expect(await traces(email, slow.organization.id)).toBeGreaterThan(5);
    await abandonRegistration(slow.identity._id, slow.organization.id);
    await expect(activateRegistration(slow, nothingMore)).rejects.toThrow("was removed");
    await Promise.all([1, 2].map(() => abandonRegistration(slow.identity._id, slow.organization.id)));
    expect(await traces(email, slow.organization.id)).toBe(0);
    expect(await placed()).toBe(before);
  });

  it("is not changed if it was activated first", async () => {
    const email = newEmail();
    const fast = await begin(email);
    await activateRegistration(fast, nothingMore);
    const before = await traces(email, fast.organization.id);
    await abandonRegistration(fast.identity._id, fast.organization.id);
    expect(await traces(email, fast.organization.id)).toBe(before);
  });

  it("is either activated or removed when both happen at once", async () => {
    for (let round = 0; round < 5; round += 1) {
      const email = newEmail();
      const racing = await begin(email);
      const [activation] = await Promise.allSettled([
        activateRegistration(racing, nothingMore),
        abandonRegistration(racing.identity._id, racing.organization.id),
      ]);
      const left = await traces(email, racing.organization.id);
      if (activation.status === "fulfilled") expect(left).toBeGreaterThan(5);
      else expect(left).toBe(0);
    }
  });
});
