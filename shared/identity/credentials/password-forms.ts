/** Digits and signs that are used in place of similar letters. */
const lookAlikes: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "3": "e",
  "1": "i",
  "!": "i",
  "0": "o",
  $: "s",
  "5": "s",
  "7": "t",
};

/** The letters and digits of a text. */
export const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** Shorter remains of a password are not judged. */
export const SHORTEST_CORE = 6;

/** Up to so many digits and signs around a common word are ignored: `password2024!`, `!!!letmein12345`. */
const MAX_DECORATION = 8;

const trimmed = (text: string): string => {
  const core = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "");
  return text.length - core.length <= MAX_DECORATION ? core : text;
};

/** The words that remain of a password without digits and signs around it, with and without look-alikes replaced. */
export const reduced = (password: string): string[] => {
  const lower = password.toLowerCase();
  const read = (text: string): string => bare(text.replace(/[@431!0$57]/g, (sign) => lookAlikes[sign] ?? sign));
  return [bare(lower), bare(trimmed(lower)), read(lower), read(trimmed(lower))];
};

/** The shortest text whose repetition is the whole text; the last repetition may be incomplete: `abcabca` → `abc`. */
export const unit = (text: string): string => {
  for (let length = 1; length <= text.length / 2; length += 1) {
    if (text.slice(length) === text.slice(0, -length)) return text.slice(0, length);
  }
  return text;
};
