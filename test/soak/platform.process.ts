import { launchPlatform } from "../setup/launch-platform.ts";

/** A platform in its own process, so that it does not share an event loop with the clients. */
const dataDir = process.argv[2];
if (dataDir === undefined || process.send === undefined) throw new Error("Started by the soak alone.");
const told = new Set<string>();
const launched = await launchPlatform({
  dataDir,
  log: (entry) => {
    // The gateway's own reasons for errors, each once, because replies do not contain them.
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
