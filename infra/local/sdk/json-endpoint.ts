import type * as z from "zod";
import type { SdkAnswer, SdkEndpoint } from "../service.ts";
import { type SdkCall, ServiceError } from "./call.ts";

type Operation = (call: SdkCall) => unknown;

/** One operation: its input is validated, and the service's result becomes the body. */
export const operation =
  <S extends z.ZodType>(input: S, run: (input: z.output<S>, call: SdkCall) => unknown): Operation =>
  (call) => {
    const parsed = input.safeParse(parseJson(call.body));
    if (parsed.success) return run(parsed.data, call);
    const issue = parsed.error.issues[0];
    throw new ServiceError("ValidationException", `${issue?.path.join(".") || "The request"}: ${issue?.message}`);
  };

const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body === "" ? "{}" : body);
  } catch {
    throw new ServiceError("SerializationException", "The request is not JSON.");
  }
};

/** A service with the JSON protocol: operations by the name in `x-amz-target`. An unknown one is an error. */
export const jsonEndpoint = (
  signingName: string,
  operations: Readonly<Record<string, Operation>>,
  version: "1.0" | "1.1" = "1.1",
): SdkEndpoint => ({
  signingName,
  protocol: "json",
  answer: async (call): Promise<SdkAnswer> => {
    const run = operations[call.operation];
    if (run === undefined) {
      throw new ServiceError(
        "UnknownOperationException",
        `The local platform does not support ${signingName}:${call.operation}.`,
      );
    }
    return {
      status: 200,
      headers: { "content-type": `application/x-amz-json-${version}` },
      body: JSON.stringify(await run(call)),
    };
  },
});
