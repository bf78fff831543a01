/** Shorter secrets would also be found where they are not meant. */
const SHORTEST = 4;

const MARK = "[redacted]";

/** The forms in which replies and errors repeat a secret. */
const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString("base64"),
];

export interface Redaction {
  readonly text: (text: string) => string;
  /** Whether bytes have a secret as it is. */
  readonly finds: (bytes: Buffer) => boolean;
}

/** Removes secrets from what the other system says. */
export const redactionOf = (secrets: readonly string[]): Redaction => {
  const forms = [...new Set(secrets.filter(({ length }) => length >= SHORTEST).flatMap(formsOf))];
  // Longer ones first, because one may contain another.
  const ordered = forms.sort((a, b) => b.length - a.length);
  return {
    text: (text) => ordered.reduce((rest, form) => rest.replaceAll(form, MARK), text),
    finds: (bytes) => ordered.some((form) => bytes.includes(form)),
  };
};
