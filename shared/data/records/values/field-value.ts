import type { Field } from "#shared/data/schema/schema";
import { addressValue, jsonValue, listValue } from "./json.ts";
import { compoundLookupValue, lookupListValue, lookupValue, sharesValue } from "./references.ts";
import { fail, type Spot } from "./report.ts";
import { choicesValue, textValue } from "./text.ts";

/** JSON numbers are IEEE 754 doubles: beyond this, an integer would silently become another one. */
const numberValue = (value: unknown, spot: Spot): unknown => {
  if (typeof value !== "number" || Number.isNaN(value)) return fail(spot, "number_type", "Expected a number.", value);
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    return fail(spot, "number", "Expected a number between -(2^53 - 1) and 2^53 - 1.");
  }
  return Object.is(value, -0) ? 0 : value;
};

const booleanValue = (value: unknown, spot: Spot): unknown =>
  typeof value === "boolean" ? value : fail(spot, "boolean_type", "Expected true or false.", value);

/**
 * A value as it will be stored, or undefined if it is noted as wrong. Null and undefined are no values and not for here.
 * The format decides where there is one that needs more than the type does.
 */
export const fieldValue = (value: unknown, field: Field, spot: Spot): unknown => {
  if (field.api_name === "shared_with" && field.system === true) return sharesValue(value, spot);
  switch (field.format) {
    case "lookup":
      return lookupValue(value, field, spot);
    case "lookup_list":
      return lookupListValue(value, field, spot);
    case "compound_lookup":
      return compoundLookupValue(value, spot);
    case "address":
      return addressValue(value, spot);
    case "multi-select":
      return choicesValue(value, field, spot);
    case "json":
      return jsonValue(value, spot);
    default:
      return plainValue(value, field, spot);
  }
};

const plainValue = (value: unknown, field: Field, spot: Spot): unknown => {
  switch (field.type) {
    case "number":
      return numberValue(value, spot);
    case "boolean":
      return booleanValue(value, spot);
    case "json":
      return jsonValue(value, spot);
    case "list":
      return listValue(value, spot);
    case "string":
      return textValue(value, field, spot);
  }
};
