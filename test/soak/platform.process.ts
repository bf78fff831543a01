import { launchPlatform } from "../setup/launch-platform.ts";

/** A platform in a process of its own, so that it shares no event loop with whoever sends to it. */
const dataDir = process.argv[2];
if (dataDir === undefined || process.send === undefined) throw new Error("Started by the soak alone.");
const launched = await launchPlatform({ dataDir });
process.on("disconnect", async () => {
  await launched.stop();
  process.exit(0);
});
process.send(launched.access);
