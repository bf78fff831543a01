import { env } from "../env.ts";
import { inTime } from "./in-time.ts";

export type InvokeLater = (operation: string, payload: Readonly<Record<string, unknown>>) => Promise<void>;

/** Longer than Lambda usually takes to accept an event. */
const PATIENCE_MS = 3_000;

/**
 * Invokes an operators' function asynchronously: resolves when Lambda has accepted the event, which it delivers at least
 * once. The client is loaded when it is needed, because few requests need it.
 */
export const invokeLater: InvokeLater = async (operation, payload) => {
  const { InvokeCommand, LambdaClient } = await import("@aws-sdk/client-lambda");
  const command = new InvokeCommand({
    FunctionName: `tenantry-${env.stage()}-${operation}`,
    InvocationType: "Event",
    Payload: Buffer.from(JSON.stringify(payload)),
  });
  await inTime(PATIENCE_MS, (abortSignal) => new LambdaClient({}).send(command, { abortSignal }));
};
