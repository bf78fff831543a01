/** The platform in a process of its own, which a test kills. */
import { type LaunchOptions, launchPlatform } from "../setup/launch-platform.ts";

const [dataDir, bundles] = process.argv.slice(2);
if (dataDir === undefined || process.send === undefined) throw new Error("Started by a test alone.");
const options: LaunchOptions = {
  dataDir,
  passwordHashes: "weak",
  environments: { most: 64, idle: 600_000 },
  ...(bundles !== undefined && { bundles: JSON.parse(bundles) }),
};
const launched = await launchPlatform(options);
process.on("disconnect", async () => {
  await launched.stop();
  process.exit(0);
});
process.send(launched.access);
