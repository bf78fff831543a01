import * as z from "zod";
import { defineMessage } from "#contracts/queue";

/** What the consumer of the tests does with a message. */
export const echo = defineMessage({
  queue: "echo",
  summary: "Notes each of its runs",
  payload: z.object({
    key: z.string(),
    /** Milliseconds. */
    ms: z.number().default(0),
    /** The code of a fault, or `exit` for a function that dies, or `error`. */
    fail: z.string().optional(),
    /** Whether it first says that it must not be handled again. */
    begins: z.boolean().default(false),
    /** Of the first attempts only. */
    times: z.number().default(Number.POSITIVE_INFINITY),
  }),
});
