import { randomUUID } from "node:crypto";
import { arn } from "../account.ts";
import { type SdkCall, ServiceError } from "../sdk/call.ts";
import type { SdkAnswer, SdkEndpoint } from "../service.ts";
import type { LambdaFunction } from "./service.ts";

/** 1 MB for asynchronous events, 6 MB for synchronous ones. */
const largest = { Event: 1024 * 1024, RequestResponse: 6 * 1024 * 1024 };

interface Options {
  readonly find: (name: string) => LambdaFunction | undefined;
  readonly accept: (functionName: string, event: string) => string;
  readonly logs: (functionName: string) => readonly string[];
}

/** `POST /2015-03-31/functions/{name}/invocations`, https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html */
export const invokeEndpoint = (options: Options): SdkEndpoint => ({
  signingName: "lambda",
  protocol: "rest-json",
  answer: async (call) => {
    const [version, collection, name, action, ...rest] = call.segments;
    const known =
      version === "2015-03-31" && collection === "functions" && action === "invocations" && rest.length === 0;
    if (!known || call.method !== "POST" || name === undefined) {
      throw new ServiceError(
        "UnknownOperationException",
        `The local platform does not support ${call.method} /${call.segments.join("/")} of Lambda.`,
        404,
      );
    }
    return invoke(call, name, options);
  },
});

const invoke = async (call: SdkCall, name: string, { find, accept, logs }: Options): Promise<SdkAnswer> => {
  const found = find(name);
  call.authorize("lambda:InvokeFunction", found?.arn ?? arn("lambda", `function:${name}`));
  if (found === undefined) {
    throw new ServiceError(
      "ResourceNotFoundException",
      `Function not found: ${arn("lambda", `function:${name}`)}`,
      404,
    );
  }
  const type = call.headers["x-amz-invocation-type"] ?? "RequestResponse";
  if (type === "DryRun") return { status: 204 };
  if (type !== "Event" && type !== "RequestResponse") {
    throw new ServiceError("InvalidParameterValueException", `Unknown invocation type ${type}.`);
  }
  const event = call.body === "" ? "{}" : call.body;
  if (Buffer.byteLength(event) > largest[type]) {
    throw new ServiceError(
      "RequestTooLargeException",
      `${Buffer.byteLength(event)} byte payload is too large for the ${type} invocation type (limit ${largest[type]} bytes)`,
      413,
    );
  }
  const tenant = tenantOf(call, found);
  if (!isJson(event)) {
    throw new ServiceError("InvalidRequestContentException", "Could not parse request body into json.");
  }
  if (type === "Event" && found.perTenant) {
    throw new ServiceError("InvalidParameterValueException", "The local platform invokes it synchronously only.");
  }
  if (type === "Event") return { status: 202, headers: { "x-amzn-requestid": accept(found.name, event) } };
  const requestId = randomUUID();
  const invoker = { caller: undefined, milliseconds: Number.POSITIVE_INFINITY };
  const outcome = await found.invoke(requestId, event, { ...invoker, ...(tenant !== undefined && { tenant }) });
  if (outcome === undefined) throw new ServiceError("TooManyRequestsException", "Rate Exceeded.", 429);
  return {
    status: 200,
    headers: {
      "content-type": "application/json",
      "x-amzn-requestid": requestId,
      "x-amz-executed-version": "$LATEST",
      ...(outcome.failed && { "x-amz-function-error": "Unhandled" }),
      ...(call.headers["x-amz-log-type"] === "Tail" && { "x-amz-log-result": tail(logs(found.name)) }),
    },
    body: outcome.payload,
  };
};

/**
 * The tenant of an invocation, which a function with tenant isolation needs, and no other takes.
 * https://docs.aws.amazon.com/lambda/latest/dg/tenant-isolation-troubleshooting.html
 */
const tenantOf = (call: SdkCall, { perTenant }: LambdaFunction): string | undefined => {
  const tenant = call.headers["x-amz-tenant-id"];
  if (perTenant === (tenant !== undefined) && (tenant === undefined || tenantPattern.test(tenant))) return tenant;
  throw new ServiceError(
    "InvalidParameterValueException",
    perTenant
      ? "The invoked function is enabled with tenancy configuration. Add a valid tenant ID in your request and try again."
      : "The invoked function is not enabled with tenancy configuration. Remove the tenant ID from your request.",
  );
};

/** https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html */
const tenantPattern = /^[a-zA-Z0-9._:/=+\-@ ]{1,256}$/;

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** The last 4 KB of the function's output, in base64. */
const tail = (lines: readonly string[]): string =>
  Buffer.from(lines.slice(-200).join("\n")).subarray(-4096).toString("base64");
