/** The platform in a process of its own, which a test kills. Its options are the first message from the parent. */
import { once } from "node:events";
import { type LaunchOptions, launchPlatform } from "./launch-platform.ts";

if (process.send === undefined) throw new Error("Started by a test alone.");
const [options] = (await once(process, "message")) as [LaunchOptions];
const launched = await launchPlatform(options);
process.on("disconnect", async () => {
  await launched.stop();
  process.exit(0);
});
process.send(launched.access);
