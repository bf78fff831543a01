import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import type { Platform } from "../start.ts";
import type { InvokeOperation } from "./seed.ts";

/** Invokes operators' functions of the local stage, like `aws lambda invoke`. */
export const operatorOf = ({ awsEndpoint, credentials }: Platform): InvokeOperation => {
  const client = new LambdaClient({ endpoint: awsEndpoint, region: "us-east-1", credentials });
  return async (operation, payload) => {
    const { Payload = new Uint8Array(), FunctionError } = await client.send(
      new InvokeCommand({
        FunctionName: `tenantry-local-${operation}`,
        Payload: Buffer.from(JSON.stringify(payload)),
      }),
    );
    const answer = Buffer.from(Payload).toString("utf8");
    if (FunctionError !== undefined) throw new Error(`The operation ${operation} failed: ${answer}`);
    return JSON.parse(answer);
  };
};
