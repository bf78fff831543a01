import { badValue, failedToParse, unsupported } from "../foundation/fault.ts";
import type { StringOrder } from "./compare.ts";
import { Doc } from "./document.ts";
import { toInteger } from "./numbers.ts";
import type { Maybe } from "./types.ts";

export interface Collation {
  readonly spec: Doc;
  readonly order: StringOrder;
  /** Two collations with the same name order alike. */
  readonly name: string;
}

const sensitivities = { 1: "base", 2: "accent", 3: "variant" } as const;
const known = new Map<string, Collation>();

/** The full specification as the server lists it for an index. */
function fullSpec(strength: number, numericOrdering: boolean): Doc {
  return Doc.from({
    locale: "en",
    caseLevel: false,
    caseFirst: "off",
    strength,
    numericOrdering,
    alternate: "non-ignorable",
    maxVariable: "punct",
    normalization: false,
    backwards: false,
    version: "57.1",
  });
}

/**
 * Supports only what Intl orders as MongoDB's ICU does: English (the root order), strengths 1 to 3, numeric ordering.
 */
export function readCollation(spec: Maybe): Collation | undefined {
  if (spec === undefined) return undefined;
  if (!(spec instanceof Doc)) throw badValue("collation must be an object");
  if (spec.size === 0) return undefined;
  const locale = spec.get("locale");
  if (typeof locale !== "string") throw failedToParse('Missing expected field "locale"');
  if (locale === "simple") return undefined;
  if (locale !== "en" && locale !== "en_US") throw unsupported(`collation locale '${locale}'`);
  const strength = toInteger(spec.get("strength") ?? 3);
  if (strength !== 1 && strength !== 2 && strength !== 3) throw unsupported(`collation strength ${strength}`);
  const plain: Record<string, Maybe> = {
    caseLevel: false,
    caseFirst: "off",
    alternate: "non-ignorable",
    maxVariable: "punct",
    normalization: false,
    backwards: false,
  };
  spec.keys.forEach((key, i) => {
    if (key === "locale" || key === "strength" || key === "numericOrdering" || key === "version") return;
    if (!Object.hasOwn(plain, key)) throw failedToParse(`BSON field 'collation.${key}' is an unknown field.`);
    if (spec.values[i] !== plain[key]) throw unsupported(`collation option ${key}`);
  });
  return collationOf(strength, spec.get("numericOrdering") === true);
}

function collationOf(strength: 1 | 2 | 3, numeric: boolean): Collation {
  const name = `en-${strength}-${numeric}`;
  let collation = known.get(name);
  if (collation === undefined) {
    const { compare } = new Intl.Collator("en", {
      sensitivity: sensitivities[strength],
      numeric,
      caseFirst: "false",
      ignorePunctuation: false,
    });
    collation = { name, spec: fullSpec(strength, numeric), order: (a, b) => (a === b ? 0 : compare(a, b)) };
    known.set(name, collation);
  }
  return collation;
}

/** Whether a collation may order the value differently from its bytes. */
export const dependsOnCollation = (value: Maybe): boolean =>
  typeof value === "string" || value instanceof Doc || Array.isArray(value);
