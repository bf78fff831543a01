import { randomUUID } from "node:crypto";
import { arn } from "../account.ts";
import type { Authority } from "../iam/service.ts";
import type { Functions } from "../lambda/service.ts";
import { ServiceError } from "../sdk/call.ts";
import type { TaskCall } from "./scope.ts";
import { StateError } from "./state-error.ts";

interface Options {
  readonly functions: Functions;
  readonly authority: Authority;
}

/**
 * `arn:aws:states:::lambda:invoke`: the role of the state machine is checked, and errors get the names that Step
 * Functions gives them.
 */
export const lambdaTask =
  ({ functions, authority }: Options) =>
  async (call: TaskCall, by: { readonly roleArn: string; readonly session: string }): Promise<unknown> => {
    const { FunctionName, Payload = {} } = call;
    const name = String(FunctionName);
    const found = functions.find(name);
    try {
      const resource = found?.arn ?? arn("lambda", `function:${name.replace(/^.*:function:/, "")}`);
      authority.authorize({ kind: "role", ...by }, "lambda:InvokeFunction", resource);
    } catch (error) {
      if (error instanceof ServiceError) throw new StateError("Lambda.AWSLambdaException", error.message);
      throw error;
    }
    if (found === undefined) {
      throw new StateError("Lambda.ResourceNotFoundException", `Function not found: ${name}`);
    }
    const requestId = randomUUID();
    const outcome = await found.invoke(requestId, JSON.stringify(Payload));
    if (outcome === undefined) throw new StateError("Lambda.TooManyRequestsException", "Rate Exceeded.");
    const result: unknown = JSON.parse(outcome.payload);
    if (outcome.failed) throw new StateError(errorTypeOf(result), outcome.payload);
    return {
      ExecutedVersion: "$LATEST",
      Payload: result,
      SdkHttpMetadata: { HttpStatusCode: 200 },
      SdkResponseMetadata: { RequestId: requestId },
      StatusCode: 200,
    };
  };

const errorTypeOf = (result: unknown): string =>
  typeof result === "object" && result !== null && "errorType" in result && typeof result.errorType === "string"
    ? result.errorType
    : "Lambda.Unknown";
