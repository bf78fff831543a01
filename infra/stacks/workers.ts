import type { Worker } from "./messaging.ts";

/** Queue → the function that handles its messages. The contracts are in `shared/contracts/queues.ts`. */
export const queueWorkers: Readonly<Record<string, Worker>> = {};
