import { randomUUID } from "node:crypto";
import { arn } from "../account.ts";
import type { Authority } from "../iam/service.ts";
import type { Functions } from "../lambda/service.ts";
import { ServiceError } from "../sdk/call.ts";
import type { SendInName } from "../sqs/service.ts";
import type { Delivery } from "./store.ts";

interface Options {
  readonly authority: Authority;
  readonly functions: Functions;
  readonly sendDeadLetter: SendInName;
  readonly onDropped: (functionName: string, requestId: string, reason: string) => void;
}

export const scheduleArn = (group: string, name: string): string => arn("scheduler", `schedule/${group}/${name}`);

/** https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html */
const attributesOf = ({ id, group, name, at }: Delivery): Readonly<Record<string, string>> => ({
  "schedule-arn": scheduleArn(group, name),
  "scheduled-time": `${new Date(at).toISOString().slice(0, 19)}Z`,
  "execution-id": id,
  "attempt-number": "1",
});

const inputOf = (delivery: Delivery): string => {
  const values = attributesOf(delivery);
  return delivery.target.Input.replaceAll(
    /<aws\.scheduler\.([a-z-]+)>/g,
    (whole, name: string) => values[name] ?? whole,
  );
};

/**
 * Invokes the target asynchronously in the name of the schedule's role; `onEnd` is called when Lambda has done with it.
 * What cannot be delivered goes to the dead-letter queue at once: nothing that another attempt would mend fails here.
 */
export const deliverer =
  ({ authority, functions, sendDeadLetter, onDropped }: Options) =>
  (delivery: Delivery, onEnd: () => void): void => {
    const { Arn, RoleArn, DeadLetterConfig } = delivery.target;
    const by = { roleArn: RoleArn, session: delivery.name };
    const input = inputOf(delivery);
    const found = functions.find(Arn);
    try {
      authority.authorize({ kind: "role", ...by }, "lambda:InvokeFunction", found?.arn ?? Arn);
      if (found === undefined) throw new ServiceError("ResourceNotFoundException", `Function not found: ${Arn}`, 404);
      functions.accept(found.name, input, onEnd);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      onDropped(found?.name ?? Arn, randomUUID(), error.message);
      if (DeadLetterConfig !== undefined) {
        const attributes = {
          ERROR_CODE: error.code,
          ERROR_MESSAGE: error.message,
          EXECUTION_ID: delivery.id,
          EXECUTION_TIME: attributesOf(delivery)["scheduled-time"] ?? "",
          EXHAUSTED_RETRY_CONDITION: "NonRetryableError",
          IS_PAYLOAD_TRUNCATED: "false",
          SCHEDULE_ARN: scheduleArn(delivery.group, delivery.name),
          TARGET_ARN: Arn,
        };
        try {
          sendDeadLetter({ queueArn: DeadLetterConfig.Arn, body: input, attributes }, by);
        } catch (refused) {
          if (!(refused instanceof ServiceError)) throw refused;
          onDropped(found?.name ?? Arn, randomUUID(), refused.message);
        }
      }
      onEnd();
    }
  };
