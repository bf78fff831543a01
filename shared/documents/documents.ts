/** The files of an organization's documents: stored, read within the caller's access, and removed. */

export { describeAttachment, readAttachment, readStoredAttachment, storeAttachment } from "./attachments.ts";
export { attachmentHeader } from "./file-name.ts";
export { leaveFiles, removeFiles, sweepFiles } from "./removal.ts";
