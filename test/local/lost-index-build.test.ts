import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { ServiceError } from "../../infra/local/sdk/call.ts";
import { type HttpClient, httpClient } from "../setup/http-client.ts";
import { type LaunchedPlatform, launchPlatform } from "../setup/launch-platform.ts";

let dataDir: string;
let launched: LaunchedPlatform;
let http: HttpClient;
let lambdaIsDown = false;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tenantry-lost-build-"));
  launched = await launchPlatform({
    dataDir,
    passwordHashes: "weak",
    bundles: inject("platform").bundles,
    beforeCall: (service) => {
      if (service === "lambda" && lambdaIsDown) throw new ServiceError("ServiceException", "Lambda is down.", 500);
    },
  });
  http = httpClient(launched.access.url);
});

afterAll(async () => {
  await launched?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test("an index whose build could not be asked for is built by the next run of the migrations, which finds it itself", async () => {
  const organization = {
    organization_name: "Lost",
    email: "lost@example.test",
    password: "correct horse battery staple",
  };
  const { access_token: token } = (await http.post("/v1/register", { body: organization, expect: 201 })).body;
  await http.post("/v1/object/lead", { token, body: { name: "A", source: "one" }, expect: 201 });
  lambdaIsDown = true;
  const field = { object_id: "lead", api_name: "source", unique: true };
  const { body } = await http.patch("/v1/schema/field", { token, body: field, expect: 200 });
  expect(body.index_status).toBe("building");
  // Nothing is promised until then.
  await http.post("/v1/object/lead", { token, body: { name: "B", source: "two" }, expect: 201 });
  lambdaIsDown = false;
  const { awsEndpoint: endpoint, region, credentials, stage } = launched.access;
  const lambda = new LambdaClient({ endpoint, region, credentials });
  const answer = await lambda.send(
    new InvokeCommand({ FunctionName: `tenantry-${stage}-migrate`, Payload: Buffer.from("{}") }),
  );
  expect(JSON.parse(Buffer.from(answer.Payload ?? []).toString("utf8"))).toMatchObject({ done: 1, failed: 0 });
  const schema = await http.get("/v1/schema/lead", { token, expect: 200 });
  expect(schema.body.properties.source.index_status).toBe("ready");
  await http.post("/v1/object/lead", { token, body: { name: "C", source: "two" }, expect: 409 });
});
