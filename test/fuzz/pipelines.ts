import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fuzzPipelines } from "../domains/data/pipeline/fuzz-pipelines.ts";
import { launchPlatform } from "../setup/launch-platform.ts";

const PIPELINES = 5_000;

/** On its own platform; `MONGODB_URI` for another database. */
export const fuzz = async (seed: number): Promise<void> => {
  const dataDir = await mkdtemp(join(tmpdir(), "tenantry-fuzz-"));
  const platform = await launchPlatform({ dataDir });
  try {
    const { answered, refused, failed } = await fuzzPipelines(platform.access, { runs: PIPELINES, seed });
    console.log(`${PIPELINES} pipelines: ${answered} answered, ${refused} refused, ${failed} failed in the database`);
  } finally {
    await platform.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
};
