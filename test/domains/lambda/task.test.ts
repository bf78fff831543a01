import { expect, test } from "vitest";
import * as z from "zod";
import { defineTask } from "#contracts/workflow";
import { Fault } from "#shared/foundation/faults";
import { task } from "#shared/lambda/workflow/task";

const contract = defineTask({
  workflow: "example",
  step: "double",
  summary: "Doubles a number",
  input: z.object({ value: z.number() }),
  output: z.object({ doubled: z.number() }),
});
const handler = task(contract)(async ({ value }, { execution, attempt }) => {
  if (value < 0) throw new Fault("conflict", { message: `${execution} ${attempt}` });
  if (value === 0) throw new TypeError("internals");
  return { doubled: value > 100 ? Number.NaN : value * 2 };
});
const call = (input: unknown) => handler({ execution: "arn:one", attempt: 2, input });

test("a task gets its input, its execution and its attempt, and answers by its contract", async () => {
  expect(await call({ value: 4 })).toEqual({ doubled: 8 });
});

test("a task fails with the code of its fault as the name of the error, which a state machine can match", async () => {
  await expect(call({ value: -1 })).rejects.toMatchObject({ name: "conflict", message: "arn:one 2" });
});

test("a task that is called without its execution or with other input fails with validation_failed", async () => {
  await expect(handler({ value: 4 })).rejects.toMatchObject({ name: "validation_failed" });
  const message = expect.stringMatching(/^value: /);
  await expect(call({ value: "4" })).rejects.toMatchObject({ name: "validation_failed", message });
});

test("a task whose code or output is wrong fails with internal_error and tells nothing", async () => {
  for (const value of [0, 101]) {
    const error = await call({ value }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "internal_error", message: expect.not.stringContaining("internals") });
  }
});
