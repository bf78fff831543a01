import { randomUUID } from "node:crypto";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { expect, test } from "vitest";
import { PDF } from "../setup/documents.ts";
import { httpClient } from "../setup/http-client.ts";
import { launchPlatform } from "../setup/launch-platform.ts";
import { fakeClock } from "./fake-clock.ts";
import { temporaryDirectory } from "./run.ts";

const MINUTE = 60_000;
/** A generous limit for a busy machine. */
const patiently = { timeout: 240_000, interval: 100 };

interface Answer {
  readonly started: boolean;
  readonly queues: readonly { readonly queue: string; readonly dead: number; readonly redrive: unknown }[];
}

test("work that fails while S3 is down is a dead letter, which an operator sends back, and is then done once", async () => {
  const clock = fakeClock(Date.now());
  let isDown = false;
  const beforeCall = (service: string) => {
    if (isDown && service === "s3") throw new Error("S3 is down.");
  };
  const { access, stop } = await launchPlatform({
    dataDir: temporaryDirectory(),
    passwordHashes: "weak",
    clock,
    beforeCall,
  });
  const settings = { endpoint: access.awsEndpoint, region: access.region, credentials: access.credentials };
  const lambda = new LambdaClient(settings);
  const s3 = new S3Client(settings);
  const redrive = async (input: object): Promise<Answer & { errorType?: string }> => {
    const command = new InvokeCommand({
      FunctionName: `tenantry-${access.stage}-redrive`,
      Payload: JSON.stringify(input),
    });
    return JSON.parse((await lambda.send(command)).Payload?.transformToString() ?? "null");
  };
  const ofFiles = async (input: object = {}) =>
    (await redrive(input)).queues.find(({ queue }) => queue === "remove-files");
  try {
    const http = httpClient(access.url);
    const body = {
      organization_name: "Dead",
      email: `${randomUUID()}@example.test`,
      password: "correct horse battery staple",
    };
    const { body: owner } = await http.post("/v1/register", { body, expect: 201 });
    const token = owner.access_token;
    const upload = { token, raw: new Uint8Array(PDF), headers: { "content-type": "application/pdf" } };
    const { body: document } = await http.post("/v1/documents", { ...upload, query: { name: "a.pdf" }, expect: 201 });
    const files = async () => {
      const Prefix = `documents/${owner.organization_id}/`;
      const command = new ListObjectsV2Command({
        Bucket: `tenantry-${access.stage}-files-000000000000-us-east-1`,
        Prefix,
      });
      return (await s3.send(command)).KeyCount;
    };
    expect(await files()).toBe(1);
    expect((await redrive({})).queues.every(({ dead }) => dead === 0)).toBe(true);
    expect(await redrive({ queue: "remove-files" })).toMatchObject({ started: false });

    isDown = true;
    await http.delete(`/v1/object/document/${document.id}`, { token, expect: 200 });
    await expect
      .poll(
        async () => {
          clock.advance(5 * MINUTE);
          return (await ofFiles())?.dead;
        },
        { timeout: 240_000, interval: 1500 },
      )
      .toBe(1);
    isDown = false;
    expect(await files()).toBe(1);

    const answer = await redrive({ queue: "remove-files", per_second: 10 });
    expect(answer.started).toBe(true);
    clock.advance(2000);
    await expect.poll(files, patiently).toBe(0);
    await expect
      .poll(() => ofFiles(), patiently)
      .toEqual({
        queue: "remove-files",
        waiting: 0,
        delayed: 0,
        in_flight: 0,
        dead: 0,
        redrive: { status: "COMPLETED", started_at: expect.any(String), moved: 1, to_move: 1 },
      });
    expect((await redrive({ queue: "schedules" })).errorType).toBe("validation_failed");
  } finally {
    await stop();
  }
});
