import type { MessageContract } from "./queue.ts";

/** Every queue of the platform. A contract that is not listed here is not deployed. */
export const queues: readonly MessageContract[] = [];
