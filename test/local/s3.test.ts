import { request } from "node:http";
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  type GetObjectCommandInput,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
} from "@aws-sdk/client-s3";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { propertyRuns } from "../setup/property-runs.ts";
import { Bucket, bucket, operatorOf } from "./buckets.ts";
import { fakeClock } from "./fake-clock.ts";
import { functionCaller } from "./function-caller.ts";
import { type Running, run, runForTest, sdkSettings } from "./run.ts";
import { allow, lambdaFunction, template } from "./stack.ts";

const DAY = 86_400_000;
const objects = (prefix: string) => `arn:aws:s3:::${Bucket}/${prefix}/*`;

const policy = (...statements: unknown[]) => ({
  Type: "AWS::S3::BucketPolicy",
  Properties: { Bucket: { Ref: "Files" }, PolicyDocument: { Version: "2012-10-17", Statement: statements } },
});

const start = async (resources: Record<string, unknown> = {}) => {
  const clock = fakeClock();
  const stack = { files: template({ Files: bucket() }, resources as Record<string, Record<string, unknown>>) };
  const platform = await runForTest(stack, { clock });
  return { clock, platform, stack, ...clientOf(operatorOf(platform)) };
};

const clientOf = (client: S3Client) => ({
  client,
  put: (Key: string, Body: string | Uint8Array, more: Partial<PutObjectCommandInput> = {}) =>
    client.send(new PutObjectCommand({ Bucket, Key, Body, ...more })),
  get: async (Key: string, more: Partial<GetObjectCommandInput> = {}) => {
    const { Body, ...rest } = await client.send(new GetObjectCommand({ Bucket, Key, ...more }));
    return { ...rest, bytes: Buffer.from((await Body?.transformToByteArray()) ?? []) };
  },
  remove: (Key: string) => client.send(new DeleteObjectCommand({ Bucket, Key })),
  keys: async (Prefix = "", MaxKeys?: number, ContinuationToken?: string) => {
    const page = await client.send(new ListObjectsV2Command({ Bucket, Prefix, MaxKeys, ContinuationToken }));
    return { keys: (page.Contents ?? []).map(({ Key }) => Key), next: page.NextContinuationToken };
  },
});

describe("an object", () => {
  test("is read with its bytes, its type and its digests, overwritten, and gone after it was deleted", async () => {
    const { client, put, get, remove } = await start();
    const bytes = Buffer.from([0, 255, 10, 13, 128, 0]);
    await put("documents/one", bytes, { ContentType: "image/png" });
    const found = await get("documents/one", { ChecksumMode: "ENABLED" });
    expect(found.bytes).toEqual(bytes);
    expect(found).toMatchObject({
      ContentType: "image/png",
      ContentLength: 6,
      ETag: '"4d7617d6b0295e0b4acf86ff5e53f072"',
      ChecksumCRC32: "J0CNUw==",
      LastModified: new Date(Date.UTC(2026, 2, 12, 19, 3, 58)),
    });
    await put("documents/one", "second");
    expect((await get("documents/one")).bytes.toString()).toBe("second");
    expect(await client.send(new HeadObjectCommand({ Bucket, Key: "documents/one" }))).toMatchObject({
      ContentLength: 6,
      ContentType: "application/octet-stream",
    });
    await remove("documents/one");
    await remove("documents/one");
    await expect(get("documents/one")).rejects.toMatchObject({ name: "NoSuchKey" });
  });

  test("may be empty, and may have 4 MiB", async () => {
    const { put, get } = await start();
    await put("empty", "");
    expect((await get("empty")).bytes).toHaveLength(0);
    const large = Buffer.alloc(4 * 1024 * 1024, 7);
    await put("large", large);
    expect((await get("large")).bytes.equals(large)).toBe(true);
  });

  test("is not overwritten by a request with If-None-Match, of many at the same time by one", async () => {
    const { put, get } = await start();
    const once = { IfNoneMatch: "*" };
    const answers = await Promise.allSettled(
      ["a", "b", "c", "d"].map((content) => put("documents/once", content, once)),
    );
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const refused = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason.name] : []));
    expect(refused).toEqual(["PreconditionFailed", "PreconditionFailed", "PreconditionFailed"]);
    const { bytes } = await get("documents/once");
    await expect(put("documents/once", "later", once)).rejects.toMatchObject({ name: "PreconditionFailed" });
    expect((await get("documents/once")).bytes).toEqual(bytes);
  });

  test("whose checksum is wrong is refused and not stored", async () => {
    const { put, get } = await start();
    await expect(put("broken", "content", { ChecksumCRC32: "AAAAAA==" })).rejects.toMatchObject({ name: "BadDigest" });
    await expect(get("broken")).rejects.toMatchObject({ name: "NoSuchKey" });
  });

  test.each([
    "documents/../../../../escaped",
    "documents/./same",
    "documents//twice",
    "documents/ends/",
    "documents/one.object/two",
    "documents/naïve <&> \"quoted\" 'key' %2F %00 #?",
    "..",
    "documents/日本語",
  ])("with the key %j is itself and no other", async (key) => {
    const { platform, put, get, keys, remove } = await start();
    await put("documents/one", "other");
    await put(key, key);
    expect((await get(key)).bytes.toString()).toBe(key);
    expect((await keys()).keys).toContain(key);
    await remove(key);
    expect((await keys()).keys).toEqual(["documents/one"]);
    expect(platform.dataDir).toBeTruthy();
  });

  test("with a key that is too long is refused", async () => {
    const { put } = await start();
    await expect(put("k".repeat(1025), "x")).rejects.toMatchObject({ name: "KeyTooLongError" });
    await expect(put(`documents/${"k".repeat(300)}`, "x")).rejects.toMatchObject({ name: "KeyTooLongError" });
  });

  test("of any keys are listed by prefix in the order of their bytes, in pages", async () => {
    const { client, put, keys } = await start();
    const part = fc.string({ unit: fc.constantFrom("a", "b", ".", "/", "é", "~", "😀"), minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(part, { minLength: 1, maxLength: 6 }), part, async (names, prefix) => {
        for (const name of names) await put(name, name);
        const wanted = names
          .filter((name) => name.startsWith(prefix))
          .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        const found: unknown[] = [];
        let next: string | undefined;
        do {
          const page = await keys(prefix, 2, next);
          expect(page.keys.length).toBeLessThanOrEqual(2);
          found.push(...page.keys);
          next = page.next;
        } while (next !== undefined);
        expect(found).toEqual(wanted);
        const Objects = names.map((Key) => ({ Key }));
        await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
        expect((await keys()).keys).toEqual([]);
      }),
      propertyRuns(30),
    );
  });
});

describe("a function", () => {
  let platform: Running;
  let as: (name: string) => Promise<ReturnType<typeof clientOf>>;

  beforeAll(async () => {
    platform = await run({
      files: template(
        {
          Files: bucket(),
          Policy: policy({
            Effect: "Deny",
            Principal: { AWS: "*" },
            Action: "s3:*",
            Resource: `arn:aws:s3:::${Bucket}/billing/*`,
          }),
        },
        lambdaFunction("Nothing"),
        lambdaFunction("Reader", { statements: [allow("s3:GetObject", objects("documents"))] }),
        lambdaFunction("Writer", { statements: [allow("s3:PutObject", objects("documents"))] }),
        lambdaFunction("Cleaner", {
          statements: [
            allow("s3:DeleteObject", objects("documents")),
            allow("s3:ListBucket", `arn:aws:s3:::${Bucket}`, { StringLike: { "s3:prefix": ["documents/*"] } }),
          ],
        }),
        lambdaFunction("All", { statements: [allow("s3:*", "*")] }),
      ),
    });
    const { as: settingsOf } = functionCaller(platform);
    as = async (name) => clientOf(new S3Client(await settingsOf(name)));
    const { put } = clientOf(operatorOf(platform));
    await put("documents/one", "one");
    await put("webhooks/one", "one");
    return async () => {
      await platform.stop();
    };
  });

  const denied = { name: "AccessDenied" };

  test("reads, writes, deletes and lists what its role allows", async () => {
    expect((await (await as("Reader")).get("documents/one")).bytes.toString()).toBe("one");
    await (await as("Writer")).put("documents/two", "two");
    expect((await (await as("Cleaner")).keys("documents/")).keys).toEqual(["documents/one", "documents/two"]);
    await (await as("Cleaner")).remove("documents/two");
    expect((await (await as("Cleaner")).keys("documents/")).keys).toEqual(["documents/one"]);
  });

  test("is refused any other action and any other prefix", async () => {
    const nothing = await as("Nothing");
    const reader = await as("Reader");
    const writer = await as("Writer");
    const cleaner = await as("Cleaner");
    for (const { get, put, remove, keys } of [nothing]) {
      await expect(get("documents/one")).rejects.toMatchObject(denied);
      await expect(put("documents/three", "x")).rejects.toMatchObject(denied);
      await expect(remove("documents/one")).rejects.toMatchObject(denied);
      await expect(keys("documents/")).rejects.toMatchObject(denied);
    }
    await expect(reader.get("webhooks/one")).rejects.toMatchObject(denied);
    await expect(reader.get("documents/../webhooks/one")).rejects.toMatchObject(denied);
    await expect(reader.put("documents/one", "x")).rejects.toMatchObject(denied);
    await expect(reader.remove("documents/one")).rejects.toMatchObject(denied);
    await expect(reader.keys("documents/")).rejects.toMatchObject(denied);
    await expect(writer.get("documents/one")).rejects.toMatchObject(denied);
    await expect(writer.put("webhooks/two", "x")).rejects.toMatchObject(denied);
    await expect(writer.put("documentsx/two", "x")).rejects.toMatchObject(denied);
    await expect(cleaner.keys("webhooks/")).rejects.toMatchObject(denied);
    await expect(cleaner.keys("")).rejects.toMatchObject(denied);
    await expect(cleaner.remove("webhooks/one")).rejects.toMatchObject(denied);
  });

  test("that deletes several objects is refused those that it may not delete, and deletes the others", async () => {
    const { put, get } = clientOf(operatorOf(platform));
    await put("documents/mine", "x");
    const { client } = await as("Cleaner");
    const Objects = [{ Key: "webhooks/one" }, { Key: "documents/mine" }];
    const { Errors } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect(Errors).toMatchObject([{ Key: "webhooks/one", Code: "AccessDenied" }]);
    expect((await get("webhooks/one")).bytes.toString()).toBe("one");
    await expect(get("documents/mine")).rejects.toMatchObject({ name: "NoSuchKey" });
  });

  test("learns by a read that a key does not exist only if it may list keys", async () => {
    await expect((await as("Reader")).get("documents/none")).rejects.toMatchObject(denied);
    await expect((await as("All")).get("documents/none")).rejects.toMatchObject({ name: "NoSuchKey" });
  });

  test("is refused what the policy of the bucket denies", async () => {
    await expect((await as("All")).put("billing/one", "x")).rejects.toMatchObject(denied);
  });

  test("gets an error for a bucket that does not exist", async () => {
    const { client } = await as("All");
    const command = new GetObjectCommand({ Bucket: "another", Key: "documents/one" });
    await expect(client.send(command)).rejects.toMatchObject({ name: "NoSuchBucket" });
  });

  /** The status and the body of a bare request. */
  const bare = (method: string, path: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const sent = request(`${platform.awsEndpoint}${path}`, { method, headers }, (response) => {
        let body = "";
        response.on("data", (chunk: Buffer) => {
          body += chunk.toString();
        });
        response.on("end", () => resolve({ status: response.statusCode, body }));
      });
      sent.on("error", reject);
      sent.end();
    });

  test("and nobody else: anonymous and presigned requests are refused", async () => {
    for (const method of ["GET", "PUT", "DELETE", "HEAD"]) {
      expect((await bare(method, "/files/documents/one")).status).toBeGreaterThanOrEqual(400);
    }
    expect((await bare("GET", "/files/documents/one")).body).toContain("Missing Authentication Token");
    const { accessKeyId, sessionToken } = sdkSettings(platform).credentials;
    const query = new URLSearchParams({
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": `${accessKeyId}/20260312/us-east-1/s3/aws4_request`,
      "X-Amz-Date": "20260312T190358Z",
      "X-Amz-Expires": "900",
      "X-Amz-Security-Token": sessionToken,
      "X-Amz-SignedHeaders": "host",
      "X-Amz-Signature": "0".repeat(64),
    });
    const presigned = await bare("GET", `/files/documents/one?${query}`);
    expect(presigned).toMatchObject({ status: 403, body: expect.stringContaining("<Code>AccessDenied</Code>") });
  });

  test("with a wrong key is refused", async () => {
    const { credentials, ...settings } = sdkSettings(platform);
    const client = new S3Client({ ...settings, credentials: { ...credentials, secretAccessKey: "wrong" } });
    await expect(clientOf(client).get("documents/one")).rejects.toMatchObject({ name: "SignatureDoesNotMatch" });
  });

  test("is told of a parameter that is not supported here", async () => {
    const { get, client } = await as("All");
    await expect(get("documents/one", { Range: "bytes=0-1" })).rejects.toMatchObject({ name: "NotImplemented" });
    await expect(get("documents/one", { VersionId: "1" })).rejects.toMatchObject({ name: "NotImplemented" });
    const command = new PutObjectCommand({ Bucket, Key: "documents/x", Body: "x", ACL: "public-read" });
    await expect(client.send(command)).rejects.toMatchObject({ name: "NotImplemented" });
  });
});

describe("a bucket", () => {
  test("deletes objects at the age of its lifecycle rule, and no others", async () => {
    const rules = [{ Status: "Enabled", Prefix: "webhooks/", ExpirationInDays: 30 }];
    const { clock, put, keys } = await start({ Files: bucket({ LifecycleConfiguration: { Rules: rules } }) });
    await put("webhooks/old", "x");
    await put("documents/old", "x");
    clock.advance(29 * DAY);
    await put("webhooks/new", "x");
    expect((await keys()).keys).toEqual(["documents/old", "webhooks/new", "webhooks/old"]);
    clock.advance(DAY);
    expect((await keys()).keys).toEqual(["documents/old", "webhooks/new"]);
  });

  test.each([
    ["PublicAccessBlockConfiguration", undefined],
    ["VersioningConfiguration", { Status: "Enabled" }],
    ["WebsiteConfiguration", { IndexDocument: "index.html" }],
    ["AccessControl", "PublicRead"],
  ])("that the platform would not have stops the start: %s", async (name, value) => {
    await expect(start({ Files: bucket({ [name]: value }) })).rejects.toThrow("files/Files (AWS::S3::Bucket)");
  });

  test("with a policy that allows something stops the start", async () => {
    const open = policy({ Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource: objects("documents") });
    await expect(start({ Policy: open })).rejects.toThrow("only statements that deny something to everybody");
  });
});
