import type { MailFile } from "./parsed-mail.ts";

/**
 * The ending of a name in lower case: the last one counts, without what Windows ignores behind it. Empty without one.
 */
export const endingOf = (filename: string): string => /\.([^.\s]+)[\s.]*$/.exec(filename)?.[1]?.toLowerCase() ?? "";

/** Endings that a computer may run, also within an archive. */
const RUNNABLE: ReadonlySet<string> = new Set(
  (
    "ade adp apk appx appxbundle bat cab chm cmd com cpl dll dmg docm dotm exe hta img inf ins iso isp jar js jse lib " +
    "lnk mde msc msi msix msp mst nsh pif potm ppam ppsm pptm ps1 psm1 py reg scr sct sh sldm svg swf sys url vb vbe " +
    "vbs vhd vhdx vxd wsc wsf wsh xlam xlsm xltm xll"
  ).split(" "),
);
const isRunnable = (filename: string): boolean => RUNNABLE.has(endingOf(filename));
const archive = /\.(?:zip|7z|rar|tar|gz|tgz|bz2|xz|zst|lzh|arj|ace|cab)[\s.]*$/i;

const ascii = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.subarray(from, to)).toString("latin1");

/** What the first bytes of programs and of scripts look like, whatever the file is called. */
export const isProgram = (content: Uint8Array): boolean => {
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
  if (names.some(isRunnable)) return "The archive holds a program.";
  if (names.some((name) => archive.test(name))) return "The archive holds another archive.";
  if (names.some((name) => /vbaProject\.bin$/i.test(name))) return "The document holds macros.";
  return undefined;
};

/** Stream of macros in an OLE file: Word, Excel and PowerPoint until 2003. */
const MACROS = Buffer.from("_VBA_PROJECT", "utf16le");
const isOle = (content: Uint8Array): boolean => ascii(content, 0, 8) === "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/**
 * Why an attached file is not stored, whatever its type: programs, archives with programs or archives, and documents
 * with macros. Undefined if it may be stored.
 */
export const dangerOf = ({ filename, content }: MailFile): string | undefined => {
  if (isRunnable(filename) || isProgram(content)) return "It is a program.";
  if (isZip(content)) return zipRefusal(content);
  if (archive.test(filename)) return "The archive cannot be checked.";
  return isOle(content) && Buffer.from(content).includes(MACROS) ? "The document holds macros." : undefined;
};
