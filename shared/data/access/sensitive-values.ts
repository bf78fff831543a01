import type { Caller } from "#shared/tenant/tenant";

/** A right that permissions list in `scopes`, and the OAuth scope that an app needs besides. */
export const SENSITIVE_SCOPE = "sensitive:read";

/** What callers see in place of a text that is masked for them. */
export const VALUE_MASK = "***";

/** The part of a field that says whether and how its values are masked. */
interface MaskedField {
  readonly type: string;
  readonly format?: string | undefined;
  readonly sensitive?: boolean | undefined;
}

/** An app needs the scope for what it reads in a person's name; a person's own session needs none. */
export const sensitiveInScope = ({ client_id, scope }: Pick<Caller, "client_id" | "scope">): boolean =>
  client_id === null || scope.split(" ").some((name) => name === "all" || name === SENSITIVE_SCOPE);

/** Formats of texts that are no free text, so that the mask would be no valid value. */
const structured: ReadonlySet<string | undefined> = new Set(["date", "date-time", "time"]);

/** The mask of a field: a constant, whether or not a record has a value. */
export interface ValueMask {
  readonly shown: typeof VALUE_MASK | null;
}

const textMask: ValueMask = { shown: VALUE_MASK };
const nullMask: ValueMask = { shown: null };

/** Null if the caller sees the field's values. Texts are masked as `***`, values of other types and dates as null. */
export const valueMaskOf = (
  { type, format, sensitive }: MaskedField,
  { seesSensitive }: { readonly seesSensitive: boolean },
): ValueMask | null => {
  if (sensitive !== true || seesSensitive) return null;
  return type === "string" && !structured.has(format) ? textMask : nullMask;
};
