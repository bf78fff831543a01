import { emailLimits, type SendEmailRequest } from "#contracts/email-bodies";
import { isNotReadable, records } from "#shared/data/records/records";
import { Fault, type Issue, refuseIfAny } from "#shared/foundation/faults";
import { isObject } from "#shared/foundation/is-object";
import { textOf } from "#shared/foundation/text-of";
import { holdsScope, type Tenant } from "#shared/tenant/tenant";
import { endingOf, isProgram } from "../inbound/files.ts";

/** As the record lists it. */
interface ListedAttachment {
  /** The id of its `document` record. Absent: the file is in the message itself. */
  readonly document?: string;
  readonly filename: string;
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  readonly disposition: "attachment" | "inline";
  readonly content_id?: string;
}

/** A file that came with the request, in base64. `index`: in the list of attachments. */
export interface InlineFile {
  readonly index: number;
  readonly content: string;
}

interface Attachments {
  readonly listed: readonly ListedAttachment[];
  readonly inline: readonly InlineFile[];
}

/**
 * Files that run when they are opened. Mail providers refuse messages with them
 * (https://support.google.com/mail/answer/6590).
 */
const BLOCKED_ENDINGS: ReadonlySet<string> = new Set(
  (
    "ade adp apk appx appxbundle bat cab chm cmd com cpl diagcab diagcfg diagpkg dll dmg ex ex_ exe hta img ins " +
    "iso isp jar jnlp js jse lib lnk mde mjs msc msi msix msixbundle msp mst nsh pif ps1 ps1xml psc1 psd1 psm1 reg " +
    "scf scr sct shb sys url vb vbe vbs vhd vhdx vxd wsc wsf wsh xll"
  ).split(" "),
);

const BLOCKED_TYPES: ReadonlySet<string> = new Set(
  (
    "application/x-msdownload application/x-dosexec application/x-executable application/x-sh application/x-bat " +
    "application/x-msdos-program application/x-ms-shortcut application/x-sharedlib application/x-mach-binary " +
    "application/x-java-applet application/vnd.microsoft.portable-executable application/java-archive " +
    "application/javascript application/ecmascript application/hta text/javascript text/ecmascript text/vbscript"
  ).split(" "),
);

const isBlockedName = (filename: string): boolean => BLOCKED_ENDINGS.has(endingOf(filename));

const blocked = (loc: Issue["loc"]): Issue => ({
  loc,
  msg: "Files that run when they are opened cannot be attached.",
  type: "blocked_attachment",
});

/** The size of the bytes that a text in base64 stands for. */
const sizeOf = (content: string): number => (content.length / 4) * 3 - (content.match(/=*$/)?.[0].length ?? 0);

interface StoredFile {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly size?: unknown;
}

/** The file of a `document` record that the caller may read. */
const documentFile = async (tenant: Tenant, id: string): Promise<StoredFile | undefined> => {
  try {
    const { file } = await records(tenant).get("document", id);
    return isObject(file) ? file : undefined;
  } catch (error) {
    if (isNotReadable(error)) return undefined;
    throw error;
  }
};

/** An app that may only write must not read documents by sending them. Raises `insufficient_scope`. */
export const requireReadScope = ({ caller }: Tenant): void => {
  if (!holdsScope(caller, "read")) {
    const message = "An app needs the scope read for a mail with documents.";
    throw new Fault("insufficient_scope", { message });
  }
};

/** The files of a request. Raises `validation_failed` and `insufficient_scope`. */
export const attachmentsOf = async (
  tenant: Tenant,
  { file_attachments = [], attachments = [] }: SendEmailRequest,
): Promise<Attachments> => {
  const ids = [...new Set(file_attachments)];
  if (ids.length > 0) requireReadScope(tenant);
  const files = await Promise.all(ids.map((id) => documentFile(tenant, id)));
  const issues: Issue[] = [];
  const listed: ListedAttachment[] = [];
  for (const [index, file] of files.entries()) {
    const loc = ["body", "file_attachments", index];
    if (file === undefined) {
      const msg = "There is no such document with a file that you may read.";
      issues.push({ loc, msg, type: "unknown_document", input: ids[index] });
      continue;
    }
    const filename = textOf(file.name) ?? "file";
    const type = textOf(file.type) ?? "application/octet-stream";
    if (isBlockedName(filename) || BLOCKED_TYPES.has(type)) issues.push(blocked(loc));
    const size = typeof file.size === "number" ? file.size : 0;
    listed.push({ document: ids[index] ?? "", filename, type, size, disposition: "attachment" });
  }
  const inline: InlineFile[] = [];
  for (const [index, { content, content_id, ...described }] of attachments.entries()) {
    const loc = ["body", "attachments", index];
    const { filename, type } = described;
    if (isBlockedName(filename) || BLOCKED_TYPES.has(type) || isProgram(Buffer.from(content.slice(0, 16), "base64")))
      issues.push(blocked(loc));
    inline.push({ index: listed.length, content });
    listed.push({ ...described, size: sizeOf(content), ...(content_id !== undefined && { content_id }) });
  }
  const bytes = listed.reduce((sum, { size }) => sum + size, 0);
  if (listed.length > emailLimits.files || bytes > emailLimits.fileBytes) {
    const msg = `An email has at most ${emailLimits.files} files with ${emailLimits.fileBytes} bytes in all.`;
    issues.push({ loc: ["body", "attachments"], msg, type: "too_large" });
  }
  refuseIfAny(issues);
  return { listed, inline };
};
