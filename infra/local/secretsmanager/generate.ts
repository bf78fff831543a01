import { randomInt } from "node:crypto";
import * as z from "zod";

/** `GenerateSecretString` of a template, with AWS's defaults. */
export const generation = z.strictObject({
  SecretStringTemplate: z.string().optional(),
  GenerateStringKey: z.string().optional(),
  PasswordLength: z.number().int().min(1).max(4096).default(32),
  ExcludeCharacters: z.string().default(""),
  ExcludeLowercase: z.boolean().default(false),
  ExcludeUppercase: z.boolean().default(false),
  ExcludeNumbers: z.boolean().default(false),
  ExcludePunctuation: z.boolean().default(false),
  IncludeSpace: z.boolean().default(false),
  RequireEachIncludedType: z.boolean().default(true),
});

type Generation = z.output<typeof generation>;

const kinds = (wanted: Generation): string[] =>
  [
    wanted.ExcludeLowercase ? "" : "abcdefghijklmnopqrstuvwxyz",
    wanted.ExcludeUppercase ? "" : "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    wanted.ExcludeNumbers ? "" : "0123456789",
    wanted.ExcludePunctuation ? "" : "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    wanted.IncludeSpace ? " " : "",
  ]
    .map((kind) => [...kind].filter((one) => !wanted.ExcludeCharacters.includes(one)).join(""))
    .filter((kind) => kind !== "");

const pick = (from: string): string => from.charAt(randomInt(from.length));

/** A password of the required length, with one character of each kind if that is required and fits. */
const password = (wanted: Generation): string => {
  const each = kinds(wanted);
  const all = each.join("");
  const characters = Array.from({ length: wanted.PasswordLength }, () => pick(all));
  if (wanted.RequireEachIncludedType && each.length <= characters.length) {
    const places = new Set<number>();
    while (places.size < each.length) places.add(randomInt(characters.length));
    for (const [index, place] of [...places].entries()) characters[place] = pick(each[index] ?? all);
  }
  return characters.join("");
};

/** The generated value: plain, or in the template's JSON under its key. */
export const generate = (wanted: Generation): string => {
  const value = password(wanted);
  if (wanted.SecretStringTemplate === undefined || wanted.GenerateStringKey === undefined) return value;
  const template = z.record(z.string(), z.unknown()).parse(JSON.parse(wanted.SecretStringTemplate));
  return JSON.stringify({ ...template, [wanted.GenerateStringKey]: value });
};
