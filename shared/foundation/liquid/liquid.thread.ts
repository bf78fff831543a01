/** A thread that renders templates, one job at a time. Whoever started it ends it when a job takes too long. */
import { parentPort } from "node:worker_threads";
import type { LiquidJob } from "./job.ts";
import { runJob } from "./run-job.ts";

const port = parentPort;
if (port === null) throw new Error("This module runs in a worker thread.");
port.on("message", async (job: LiquidJob) => port.postMessage(await runJob(job)));
port.postMessage("ready");
