import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pc from "picocolors";
import { demoClient } from "./demo/client.ts";
import { playTour } from "./demo/tour.ts";
import { startVendors } from "./demo/vendors.ts";
import { ensureDemo } from "./demo/welcome.ts";
import { explain, isToldToStop, launch, stopStarted } from "./start.ts";
import { stopOnSignal } from "./stop-on-signal.ts";

/**
 * `npm run demo`: runs the tour on a platform in a temporary folder, then ends. Exit code 0 if every step gave the
 * expected status.
 */
const demo = async (): Promise<number> => {
  const { values } = parseArgs({ options: { parent: { type: "string" } } });
  const print = (line: string): void => console.log(line);
  const dataDir = await mkdtemp(join(tmpdir(), "tenantry-demo-"));
  const told = new AbortController();
  const vendors = await startVendors();
  // The vendors of the tour are on this machine.
  const context = { outboundHttp: true, outboundLoopback: true, dnsServers: vendors.dns };
  const starting = launch({ dataDir, port: 0, closed: true, signal: told.signal, context });
  const end = async (): Promise<void> => {
    await stopStarted(starting, told);
    await vendors.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  stopOnSignal({ stop: end, parent: values.parent === undefined ? undefined : Number(values.parent), print });
  try {
    const platform = await starting;
    await ensureDemo(platform);
    platform.open();
    print(pc.bold(`Tenantry runs at ${platform.url}, with the demo organization's data. The tour:`));
    const { steps, failed } = await playTour(demoClient(platform.url), vendors, print);
    const good = `${steps - failed} of ${steps} steps went as told.`;
    print(`\n${failed === 0 ? pc.green(good) : pc.red(good)}`);
    print(`Now start it yourself: ${pc.bold("npm start")}`);
    return failed === 0 ? 0 : 1;
  } catch (error) {
    // An interruption by a signal is not reported; the signal ends the process.
    if (await isToldToStop(told)) return await new Promise<never>(() => undefined);
    throw error;
  } finally {
    if (!told.signal.aborted) await end();
  }
};

process.exit(
  await demo().catch((error: unknown) => {
    explain(error);
    return 1;
  }),
);
