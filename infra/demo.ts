import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pc from "picocolors";
import { demoClient } from "./demo/client.ts";
import { playTour } from "./demo/tour.ts";
import { ensureDemo } from "./demo/welcome.ts";
import { explain, launch } from "./start.ts";

/** `npm run demo`: a platform of its own in a temporary folder, the tour, and an end. Exit code 0 if all went as told. */
const demo = async (): Promise<number> => {
  const print = (line: string): void => console.log(line);
  const dataDir = await mkdtemp(join(tmpdir(), "tenantry-demo-"));
  try {
    const platform = await launch({ dataDir, port: 0 });
    try {
      await ensureDemo(platform);
      print(pc.bold(`Tenantry runs at ${platform.url}, with the demo organization's data. The tour:`));
      const { steps, failed } = await playTour(demoClient(platform.url), print);
      const good = `${steps - failed} of ${steps} steps went as told.`;
      print(`\n${failed === 0 ? pc.green(good) : pc.red(good)}`);
      print(`Now start it yourself: ${pc.bold("npm start")}`);
      return failed === 0 ? 0 : 1;
    } finally {
      await platform.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
};

process.exit(
  await demo().catch((error: unknown) => {
    explain(error);
    return 1;
  }),
);
