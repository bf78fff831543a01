import { join } from "node:path";
import { bundleFunctions } from "../../infra/bundle.ts";
import { line } from "./print.ts";

const event = {
  version: "2.0",
  routeKey: "GET /v1/status",
  rawPath: "/v1/status",
  rawQueryString: "",
  headers: { host: "bench", "user-agent": "bench" },
  requestContext: {
    requestId: "bench",
    http: { method: "GET", path: "/v1/status", sourceIp: "127.0.0.1", userAgent: "bench" },
  },
  isBase64Encoded: false,
};

const REQUESTS = 20_000;

/** Processor time of the endpoint wrapper alone, because the health route's handler does nothing. */
export const benchWrapper = async (): Promise<void> => {
  Object.assign(process.env, { STAGE: "bench", VERSION: "0", ISSUER: "http://bench", AWS_REGION: "us-east-1" });
  const bundle = (await bundleFunctions()).get("functions/http/platform/get-status.ts");
  if (bundle === undefined) throw new Error("the health route has no bundle");
  const { handler } = await import(join(bundle.directory, "index.mjs"));
  const context = { getRemainingTimeInMillis: () => 30_000 };
  const write = process.stdout.write;
  process.stdout.write = () => true;
  const serve = async (requests: number): Promise<void> => {
    for (let index = 0; index < requests; index += 1) await handler(structuredClone(event), context);
  };
  await serve(2_000);
  const before = process.cpuUsage();
  await serve(REQUESTS);
  const used = process.cpuUsage(before);
  process.stdout.write = write;
  line("endpoint wrapper, processor time a request", `${((used.user + used.system) / REQUESTS).toFixed(1)} µs`);
};
