/** In UTF-16 units, with room for an ending. */
const LONGEST = 180;
const FALLBACK = "file";

/** Controls, and characters that turn or hide others, so that `gpj.exe` looks like `exe.jpg`. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Windows and shells give them a meaning. */
const SPECIAL = /[<>:"|?*\\/]/g;
/** Names of devices on Windows, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** The name of a file as it is stored and shown: without folders, and without what could mislead or harm. */
export const cleanFileName = (given: string): string => {
  const last = given.split(/[\\/]/).at(-1) ?? "";
  const plain = last
    .normalize("NFC")
    .replace(INVISIBLE, "")
    .replace(SPECIAL, "_")
    .replace(/\s+/g, " ")
    .replace(/^[\s.]+|[\s.]+$/g, "");
  const safe = DEVICE.test(plain) ? `_${plain}` : plain;
  if (safe === "") return FALLBACK;
  if (safe.length <= LONGEST) return safe;
  const ending = /\.[^.]{1,10}$/.exec(safe)?.[0] ?? "";
  return `${[...safe]
    .slice(0, LONGEST - ending.length)
    .join("")
    .slice(0, LONGEST - ending.length)}${ending}`.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/g, "");
};

/**
 * https://www.rfc-editor.org/rfc/rfc6266 with https://www.rfc-editor.org/rfc/rfc8187 for other characters than ASCII.
 */
export const attachmentHeader = (name: string): string => {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%;]/g, "_");
  const encoded = encodeURIComponent(name).replace(
    /['()*!]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
};
