import { expect, test } from "vitest";
import * as z from "zod";
import { defineJob } from "#contracts/schedules";
import { Fault } from "#shared/foundation/faults";
import { scheduled } from "#shared/lambda/schedule/scheduled";

const contract = defineJob({
  job: "sweep",
  summary: "Sweeps up",
  rate: { minutes: 5 },
  output: z.object({ swept: z.number().int() }),
});

test("a job runs whatever event starts it, and answers by its contract", async () => {
  const handler = scheduled(contract)(async () => ({ swept: 3 }));
  expect(await handler({})).toEqual({ swept: 3 });
  expect(await handler({ version: "0", source: "aws.scheduler" })).toEqual({ swept: 3 });
});

test("a job fails with the code of its fault, and with internal_error if its code or its output is wrong", async () => {
  const refused = scheduled(contract)(async () => {
    throw new Fault("database_unavailable");
  });
  await expect(refused({})).rejects.toMatchObject({ name: "database_unavailable" });
  await expect(scheduled(contract)(async () => ({ swept: 0.5 }))({})).rejects.toMatchObject({ name: "internal_error" });
});
