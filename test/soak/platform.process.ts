import { launchPlatform } from "../setup/launch-platform.ts";

/** A platform in a process of its own, so that it shares no event loop with whoever sends to it. */
const dataDir = process.argv[2];
if (dataDir === undefined || process.send === undefined) throw new Error("Started by the soak alone.");
const told = new Set<string>();
const launched = await launchPlatform({
  dataDir,
  log: (entry) => {
    // Why the gateway has answered on its own, each reason once; it is not in the answer.
    if (entry.kind !== "request" || entry.status < 500 || entry.problem === undefined) return;
    const reason = `${entry.function}: ${entry.problem.slice(0, 300)}`.replace(/RequestId: \S+/, "");
    if (told.size < 20 && !told.has(reason)) process.stderr.write(`${reason}\n`);
    told.add(reason);
  },
});
process.on("disconnect", async () => {
  await launched.stop();
  process.exit(0);
});
process.send(launched.access);
