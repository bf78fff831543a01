/** The platform in a process of its own, which a test kills while it syncs usage. */
import { writeSync } from "node:fs";
import { launchBilling } from "./launch.ts";

const [dataDir = "", vendors = "{}", isFirst = ""] = process.argv.slice(2);
const platform = await launchBilling({ dataDir, vendors: JSON.parse(vendors) });
if (isFirst === "first") await platform.register();
await platform.invoke("sync-billing");
writeSync(1, "syncing\n");
