import { Stack } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import type { MessageContract } from "#contracts/queue";
import type { Needs } from "../constructs/needs.ts";
import { QueueWorker, type QueueWorkerProps } from "../constructs/queue-worker.ts";
import { SesEvents } from "../constructs/ses-events.ts";
import type { PlatformStackProps } from "./platform-stack-props.ts";

/** What a queue has besides its contract. The needs are those of its function, besides the database. */
export type Worker = Pick<
  QueueWorkerProps,
  "impact" | "batchSize" | "batchingWindow" | "mostConcurrent" | "announced"
> & {
  readonly needs: Needs;
  /** SES sends its messages: what becomes of mails that the platform's account sends for organizations. */
  readonly receivesSesEvents?: true;
};

export interface MessagingStackProps extends PlatformStackProps {
  readonly contracts: readonly MessageContract[];
  /** By the names of the queues. */
  readonly workers: Readonly<Record<string, Worker>>;
}

/** The queues, and the functions that handle their messages. */
export class MessagingStack extends Stack {
  /** @throws Error if the workers and their contracts do not match */
  constructor(scope: Construct, id: string, props: MessagingStackProps) {
    super(scope, id, props);
    const { settings, bundles, contracts, workers } = props;
    const unknown = Object.keys(workers).find((name) => !contracts.some(({ queue }) => queue === name));
    if (unknown !== undefined) throw new Error(`The queue ${unknown} has no contract in shared/contracts/queues.ts`);
    for (const contract of contracts) {
      const worker = workers[contract.queue];
      if (!worker) throw new Error(`infra/stacks/workers.ts does not say what the queue ${contract.queue} needs`);
      const needs: Needs = { database: true, ...worker.needs };
      const { queue, deadLetters } = new QueueWorker(this, contract.queue, {
        ...worker,
        settings,
        bundles,
        contract,
        needs,
      });
      if (worker.receivesSesEvents) new SesEvents(this, "SesEvents", { settings, queue, deadLetters });
    }
  }
}
