import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { client } from "./http.ts";
import { makeNoise, prepareNoise } from "./noise.ts";
import { organization } from "./organization.ts";
import { type Memory, startSoaked } from "./platform.ts";
import { isFlat, printKinds, printMemory, printOutcomes, summaryOf } from "./report.ts";
import { runTraffic } from "./traffic.ts";

/**
 * `npm run soak`: many organizations work while one of them sends the most expensive requests. Exit code 0 if all
 * requests of the others succeed, their 99th percentile stays below five times that of a quiet phase, and the memory is
 * stable at the end.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    organizations: { type: "string", default: "50" },
    rate: { type: "string", default: "25" },
  },
});
const seconds = Number(values.seconds);
const perSecond = Number(values.rate);
const LARGEST_RATIO = 5;
const WARM_UP = 5;
const REST = 15;

const higher = (a: Memory, b: Memory): Memory => ({
  platform: Math.max(a.platform, b.platform),
  database: Math.max(a.database, b.database),
});

const directory = await mkdtemp(join(tmpdir(), "tenantry-soak-"));
const platform = await startSoaked(join(directory, "data"));
try {
  const send = client(platform.url, 256);
  const organizations = [];
  for (let index = 0; index < Number(values.organizations); index += 1)
    organizations.push(await organization(send, `org-${index}`));
  const noisySend = client(platform.url, 1_000);
  const noisy = await organization(noisySend, "noisy");
  await prepareNoise(noisySend, noisy);
  const traffic = { send, organizations, perSecond };

  await runTraffic({ ...traffic, seconds: WARM_UP });
  const quiet = await runTraffic({ ...traffic, seconds: Math.max(seconds / 3, 5) });
  const before = await platform.memory();

  const peaks = { first: before, second: before };
  let half: keyof typeof peaks = "first";
  const watch = setInterval(async () => {
    const now = await platform.memory().catch(() => before);
    peaks[half] = higher(peaks[half], now);
  }, 1_000);
  const noise = makeNoise(noisySend, noisy);
  noise.burst();
  const second = setTimeout(
    () => {
      half = "second";
      noise.burst();
    },
    (seconds * 1_000) / 2,
  );
  const loud = await runTraffic({ ...traffic, seconds });
  clearTimeout(second);
  const outcomes = await noise.stop();
  clearInterval(watch);
  await sleep(REST * 1_000);
  // The last traffic causes a garbage collection.
  const after = await runTraffic({ ...traffic, seconds: WARM_UP });
  const end = await platform.memory();

  printKinds(quiet, loud);
  printOutcomes(outcomes);
  printMemory({ before, peaks, end });
  const summary = summaryOf({ quiet, loud, after });
  const flat = isFlat({ before, peaks, end });
  const verdicts = [
    [`${summary.failures.length} of ${summary.requests} requests of the others failed`, summary.failures.length === 0],
    [
      `their p99 is ${summary.ratio.toFixed(2)} × the quiet one (below ${LARGEST_RATIO})`,
      summary.ratio < LARGEST_RATIO,
    ],
    ["memory grows no further once the first half of the noise is over", flat],
  ] as const;
  for (const failure of summary.failures.slice(0, 10)) console.log(`  ${failure}`);
  for (const [sentence, good] of verdicts) console.log(`${good ? "met   " : "missed"}  ${sentence}`);
  process.exitCode = verdicts.every(([, good]) => good) ? 0 : 1;
} finally {
  await platform.stop();
  await rm(directory, { recursive: true, force: true });
}
process.exit();
