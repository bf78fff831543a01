import { fstatSync } from "node:fs";
import { Worker } from "node:worker_threads";

/** Of the pipe that the parent holds for nothing but this. */
const descriptor = 3;
/** Milliseconds in which the files are closed in order, if the process finds the time. */
const patience = 1_000;

const watch = `
const { Socket } = require("node:net");
const { workerData } = require("node:worker_threads");
const { descriptor, patience } = workerData;
const orphaned = () => setTimeout(() => process.kill(process.pid, "SIGKILL"), patience);
new Socket({ fd: descriptor, writable: false }).on("error", () => undefined).on("close", orphaned).resume();
`;

/**
 * Ends this process after its parent even while it computes and sees nothing of its pipes: a thread of its own waits for
 * their end. What was acknowledged is in the journals by then.
 */
export const watchParent = (): void => {
  try {
    fstatSync(descriptor);
  } catch {
    // Started by hand: nobody holds the pipe.
    return;
  }
  new Worker(watch, {
    eval: true,
    workerData: { descriptor, patience },
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
  }).unref();
};
