import { expect, inject, it } from "vitest";
import { fuzzPipelines } from "../../domains/data/pipeline/fuzz-pipelines.ts";
import { propertyRuns } from "../../setup/property-runs.ts";

it("no pipeline writes, crashes, or shows what its caller may not see", async () => {
  const { numRuns: runs, seed } = propertyRuns(800);
  const figures = await fuzzPipelines(inject("platform"), { runs, seed });
  expect(figures.answered).toBeGreaterThan(runs / 10);
  expect(figures.refused).toBeGreaterThan(runs / 10);
});
