import { expect, inject, it } from "vitest";
import { fuzzPipelines } from "../../domains/data/pipeline/fuzz-pipelines.ts";

it("no pipeline writes, crashes, or tells what its caller may not see", async () => {
  const figures = await fuzzPipelines(inject("platform"), { runs: 200 });
  expect(figures.answered).toBeGreaterThan(20);
  expect(figures.refused).toBeGreaterThan(20);
});
