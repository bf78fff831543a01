import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import * as z from "zod";
import type { Platform } from "../../infra/local/platform.ts";
import { sdkSettings } from "./run.ts";

const variables = z.object({
  AWS_ACCESS_KEY_ID: z.string(),
  AWS_SECRET_ACCESS_KEY: z.string(),
  AWS_SESSION_TOKEN: z.string(),
});

/** Invokes functions as an operator, and gives SDK settings to act as a function. */
export const functionCaller = (platform: Platform) => {
  const lambda = new LambdaClient(sdkSettings(platform));
  const call = async (name: string, event: unknown): Promise<unknown> => {
    const { Payload } = await lambda.send(new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(event) }));
    return JSON.parse(Payload?.transformToString() ?? "null");
  };
  return {
    call,
    as: async (name: string) => {
      const own = variables.parse(await call(name, { do: "environment" }));
      return {
        ...sdkSettings(platform),
        credentials: {
          accessKeyId: own.AWS_ACCESS_KEY_ID,
          secretAccessKey: own.AWS_SECRET_ACCESS_KEY,
          sessionToken: own.AWS_SESSION_TOKEN,
        },
      };
    },
  };
};
