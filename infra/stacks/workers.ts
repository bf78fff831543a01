import type { Worker } from "./messaging.ts";

/** Queue → the function that handles its messages. The contracts are in `shared/contracts/queues.ts`. */
export const queueWorkers: Readonly<Record<string, Worker>> = {
  "record-trigger": {
    // Whatever the code of a trigger starts runs in the context function; this one waits for it.
    needs: { runsFunctions: true },
    impact: "async record triggers of organizations run late or not at all; what was written stays.",
  },
};
