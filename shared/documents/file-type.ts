import { Fault, refuseIfAny } from "#shared/foundation/faults";

/** Type → the endings of file names that fit it. The first one is added to a name with another ending. */
const endings: Readonly<Record<string, readonly string[]>> = {
  "application/pdf": ["pdf"],
  "image/png": ["png"],
  "image/jpeg": ["jpg", "jpeg", "jfif"],
  "image/gif": ["gif"],
  "image/webp": ["webp"],
  "image/tiff": ["tif", "tiff"],
  "image/heic": ["heic", "heif"],
  "audio/mpeg": ["mp3"],
  "audio/wav": ["wav"],
  "audio/ogg": ["ogg", "oga", "opus"],
  "video/mp4": ["mp4", "m4v", "m4a", "mov"],
  "application/zip": ["zip"],
  "application/x-ole-storage": ["doc", "xls", "ppt", "msg"],
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ["docx"],
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ["xlsx"],
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": ["pptx"],
  "application/vnd.oasis.opendocument.text": ["odt"],
  "application/vnd.oasis.opendocument.spreadsheet": ["ods"],
  "application/vnd.oasis.opendocument.presentation": ["odp"],
  "text/plain": ["txt", "log", "text"],
  "text/csv": ["csv", "tsv"],
  "text/markdown": ["md", "markdown"],
  "application/json": ["json"],
  "text/calendar": ["ics"],
  "text/vcard": ["vcf"],
  "message/rfc822": ["eml"],
};

interface Signature {
  readonly type: string;
  readonly at?: number;
  readonly bytes: string;
  /** After the signature: what else is there. */
  readonly then?: { readonly at: number; readonly anyOf: readonly string[] };
}

const latin = (bytes: Uint8Array, from: number, length: number): string =>
  Buffer.from(bytes.subarray(from, from + length)).toString("latin1");

/** https://www.iana.org/assignments/media-types and the formats' own specifications. */
const signatures: readonly Signature[] = [
  { type: "application/pdf", bytes: "%PDF-" },
  { type: "image/png", bytes: "\x89PNG\r\n\x1a\n" },
  { type: "image/jpeg", bytes: "\xff\xd8\xff" },
  { type: "image/gif", bytes: "GIF87a" },
  { type: "image/gif", bytes: "GIF89a" },
  { type: "image/webp", bytes: "RIFF", then: { at: 8, anyOf: ["WEBP"] } },
  { type: "audio/wav", bytes: "RIFF", then: { at: 8, anyOf: ["WAVE"] } },
  { type: "image/tiff", bytes: "II*\0" },
  { type: "image/tiff", bytes: "MM\0*" },
  { type: "image/heic", at: 4, bytes: "ftyp", then: { at: 8, anyOf: ["heic", "heix", "mif1"] } },
  {
    type: "video/mp4",
    at: 4,
    bytes: "ftyp",
    then: { at: 8, anyOf: ["isom", "iso2", "mp41", "mp42", "avc1", "M4V ", "M4A ", "qt  ", "dash"] },
  },
  { type: "audio/mpeg", bytes: "ID3" },
  { type: "audio/mpeg", bytes: "\xff\xfb" },
  { type: "audio/ogg", bytes: "OggS" },
  { type: "application/zip", bytes: "PK\x03\x04" },
  { type: "application/zip", bytes: "PK\x05\x06" },
  { type: "application/x-ole-storage", bytes: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" },
];

const signed = (bytes: Uint8Array): string | undefined =>
  signatures.find(
    ({ at = 0, bytes: wanted, then }) =>
      latin(bytes, at, wanted.length) === wanted &&
      (then === undefined || then.anyOf.some((one) => latin(bytes, then.at, one.length) === one)),
  )?.type;

const endingOf = (name: string): string => /\.([^.]{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? "";

const typeOfEnding = (name: string, among: RegExp): string | undefined => {
  const ending = endingOf(name);
  return Object.keys(endings).find((type) => among.test(type) && endings[type]?.includes(ending));
};

/** The first entry of Office documents. Other archives may be named so, and then only fail to open. */
const isOffice = (bytes: Uint8Array): boolean =>
  /^(?:\[Content_Types\]\.xml|_rels\/|docProps\/|word\/|xl\/|ppt\/|mimetype)/.test(latin(bytes, 30, 30));

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Characters of a file that are looked at for marks of HTML. */
const LOOKED_AT = 2000;

/** What a browser or a shell would run. */
const isActive = (text: string): boolean => {
  const start = text.slice(0, LOOKED_AT).trimStart();
  if (start.startsWith("#!")) return true;
  return (
    /<(?:!doctype\s+html|html|head|body|script|svg|iframe|object|embed|style|meta|xsl:)/i.test(start) ||
    /^<\?(?:xml|php|=)/i.test(start)
  );
};

const refusal = (message: string): Fault => new Fault("unsupported_media_type", { message });

/** The text; null if it is none, or was garbled on its way. */
const textOf = (bytes: Uint8Array): string | null => {
  try {
    const text = utf8.decode(bytes);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: binary files have them, and text has none.
    return /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? null : text;
  } catch {
    return null;
  }
};

/**
 * The type of a file by its content; its name decides only among types with the same content, such as text. Raises
 * `unsupported_media_type` for a type that is not allowed, and `validation_failed` for an empty file and for garbled
 * text.
 */
export const fileTypeOf = (bytes: Uint8Array, name: string): string => {
  if (bytes.byteLength === 0) {
    refuseIfAny([{ loc: ["body"], msg: "The file is empty.", type: "missing" }]);
  }
  const type = signed(bytes);
  if (type === "application/zip") return (isOffice(bytes) && typeOfEnding(name, /officedocument|oasis/)) || type;
  if (type !== undefined) return type;
  const text = textOf(bytes);
  if (text === null) throw refusal("Files of this type are not accepted. Text is accepted as UTF-8.");
  if (isActive(text)) throw refusal("HTML, SVG, XML and scripts are not accepted.");
  if (text.includes("\u{fffd}")) {
    const msg = "The text holds U+FFFD, the mark of characters that were lost. Send it as UTF-8.";
    refuseIfAny([{ loc: ["body"], msg, type: "garbled_text" }]);
  }
  return typeOfEnding(name, /^text\/|json$|rfc822$/) ?? "text/plain";
};

/** The name with an ending that fits the type. */
export const withEnding = (name: string, type: string): string => {
  const known = endings[type] ?? [];
  return known.includes(endingOf(name)) ? name : `${name}.${known[0]}`;
};
