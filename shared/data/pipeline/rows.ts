import { type Document, Long } from "mongodb";

/**
 * Makes a document of the database ready to be written as JSON, in place: moments become ISO text by themselves,
 * integers beyond what a JSON number holds become `{"$numberLong": "…"}`, decimals `{"$numberDecimal": "…"}`, and `_id`
 * goes where it says the same as `id`.
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

/** Whatever else BSON has (dates, decimals, binaries) writes itself as JSON. */
const isPlain = (value: object): value is Document => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
