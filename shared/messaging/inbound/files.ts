import { mailLimits } from "./mail-limits.ts";
import type { MailFile } from "./parsed-mail.ts";

/** Endings of files that are stored → the type with which they are served, whatever the sender says. */
const accepted: Readonly<Record<string, string>> = {
  bmp: "image/bmp",
  csv: "text/csv",
  doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  eml: "message/rfc822",
  gif: "image/gif",
  heic: "image/heic",
  ics: "text/calendar",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  md: "text/markdown",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  odp: "application/vnd.oasis.opendocument.presentation",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odt: "application/vnd.oasis.opendocument.text",
  pdf: "application/pdf",
  png: "image/png",
  ppt: "application/vnd.ms-powerpoint",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  rtf: "application/rtf",
  tif: "image/tiff",
  tiff: "image/tiff",
  txt: "text/plain",
  vcf: "text/vcard",
  wav: "audio/wav",
  webp: "image/webp",
  xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  zip: "application/zip",
};

/** A file without a name that tells its type gets the ending of its declared type. */
const endingOfType = new Map(Object.entries(accepted).map(([ending, type]) => [type, ending]));

/** Endings that a computer may run, also within an archive. */
const runnable =
  /\.(?:ade|adp|apk|appx|appxbundle|bat|cab|chm|cmd|com|cpl|dll|dmg|docm|dotm|exe|hta|img|inf|ins|iso|isp|jar|js|jse|lib|lnk|mde|msc|msi|msix|msp|mst|nsh|pif|potm|ppam|ppsm|pptm|ps1|psm1|py|reg|scr|sct|sh|sldm|svg|swf|sys|url|vb|vbe|vbs|vhd|vhdx|vxd|wsc|wsf|wsh|xlam|xlsm|xltm|xll)[\s.]*$/i;
const archive = /\.(?:zip|7z|rar|tar|gz|tgz|bz2|xz|zst|lzh|arj|ace|cab)[\s.]*$/i;

const ascii = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.subarray(from, to)).toString("latin1");

/** What the first bytes of programs and of scripts look like, whatever the file is called. */
const isProgram = (content: Uint8Array): boolean => {
  const start = ascii(content, 0, 8);
  return (
    start.startsWith("MZ") ||
    start.startsWith("\x7fELF") ||
    start.startsWith("#!") ||
    start.startsWith("dex\n") ||
    /^(?:\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba\xbe)/.test(start)
  );
};

const isZip = (content: Uint8Array): boolean =>
  ascii(content, 0, 4) === "PK\x03\x04" || ascii(content, 0, 4) === "PK\x05\x06";

/** Of one archive. */
const MOST_ENTRIES = 2_000;
const DIRECTORY_END = 22;
const LONGEST_COMMENT = 65_535;

/** The names in the central directory of a zip archive; null if it cannot be read. Nothing is unpacked. */
const zipNames = (content: Uint8Array): string[] | null => {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const end = bytes.lastIndexOf("PK\x05\x06", bytes.length - DIRECTORY_END, "latin1");
  if (end < 0 || end < bytes.length - DIRECTORY_END - LONGEST_COMMENT) return null;
  const count = bytes.readUInt16LE(end + 10);
  if (count > MOST_ENTRIES) return null;
  const names: string[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let entry = 0; entry < count; entry += 1) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== 0x02014b50) return null;
    const length = bytes.readUInt16LE(at + 28);
    names.push(bytes.toString("utf8", at + 46, at + 46 + length));
    at += 46 + length + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return names;
};

const zipRefusal = (content: Uint8Array): string | undefined => {
  const names = zipNames(content);
  if (names === null) return "The archive cannot be checked.";
  if (names.some((name) => runnable.test(name))) return "The archive holds a program.";
  if (names.some((name) => archive.test(name))) return "The archive holds another archive.";
  if (names.some((name) => /vbaProject\.bin$/i.test(name))) return "The document holds macros.";
  return undefined;
};

const nameOf = ({ filename, type }: MailFile): string => {
  const plain =
    filename
      .replaceAll(/[\p{Cc}\p{Cf}/\\]+/gu, "_")
      .replaceAll(/^\.+/g, "")
      .trim()
      .slice(-200) || "attachment";
  const ending = endingOfType.get(type.split(";", 1)[0]?.trim().toLowerCase() ?? "");
  return /\.[a-z0-9]{1,8}$/i.test(plain) || ending === undefined ? plain : `${plain}.${ending}`;
};

/** What becomes of an attached file. */
export type FileDecision =
  | { readonly filename: string; readonly type: string; readonly refused?: undefined }
  | { readonly filename: string; readonly refused: string };

/**
 * Whether an attached file is stored: only types of the list, no programs, and no archives with programs or archives.
 * The type follows from the name, because senders may say anything.
 */
export const decideFile = (file: MailFile): FileDecision => {
  const filename = nameOf(file);
  const ending = /\.([a-z0-9]{1,8})[\s.]*$/i.exec(filename)?.[1]?.toLowerCase() ?? "";
  const refuse = (refused: string): FileDecision => ({ filename, refused });
  if (runnable.test(filename) || isProgram(file.content)) return refuse("It is a program.");
  const type = Object.hasOwn(accepted, ending) ? accepted[ending] : undefined;
  if (type === undefined) return refuse("Files of this type are not accepted.");
  const zipped = isZip(file.content) ? zipRefusal(file.content) : undefined;
  if (zipped !== undefined) return refuse(zipped);
  if (ending === "zip" && !isZip(file.content)) return refuse("The archive cannot be checked.");
  return { filename, type };
};

/** The decisions about the files of one mail, in their order. */
export const decideFiles = (
  files: readonly MailFile[],
): { readonly file: MailFile; readonly decision: FileDecision }[] =>
  files.slice(0, 10 * mailLimits.attachments).map((file, index) => ({
    file,
    decision:
      index < mailLimits.attachments
        ? decideFile(file)
        : { filename: nameOf(file), refused: `A mail may have ${mailLimits.attachments} attachments.` },
  }));
