import { type Document, Long } from "mongodb";

/**
 * Converts a document for JSON, in place: integers beyond a JSON number become `{"$numberLong": "…"}`, decimals
 * `{"$numberDecimal": "…"}`, and `_id` is removed if it equals `id`. Dates become ISO text when serialized.
 */
export const presentable = (document: Document, keepsId: boolean): Document => {
  if (!keepsId && typeof document._id === "string" && document._id === document.id) delete document._id;
  for (const key of Object.keys(document)) {
    const value: unknown = document[key];
    if (typeof value === "object" && value !== null) document[key] = presentableValue(value);
  }
  return document;
};

const presentableValue = (value: object): unknown => {
  if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => {
      if (typeof item === "object" && item !== null) value[index] = presentableValue(item);
    });
    return value;
  }
  if (value instanceof Long) return { $numberLong: value.toString() };
  if (value instanceof RegExp) return String(value);
  return isPlain(value) ? presentable(value, false) : value;
};

/** The driver's other BSON types (dates, decimals, binaries) serialize themselves. */
const isPlain = (value: object): value is Document => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
