/** The messages that deletions of documents set off. */
import * as z from "zod";
import { defineMessage } from "./queue.ts";

export const removeFiles = defineMessage({
  queue: "remove-files",
  summary: "Deletes the files of deleted documents.",
  payload: z.object({ documents: z.array(z.string()).min(1).max(1000).describe("The ids of the documents.") }),
});
