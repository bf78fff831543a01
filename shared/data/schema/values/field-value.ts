import type { Field } from "../object-schema.ts";
import { addressValue, jsonValue, listValue } from "./json.ts";
import { compoundLookupValue, lookupListValue, lookupValue, sharesValue } from "./references.ts";
import { choicesValue, textValue } from "./text.ts";
import { fail, type ValidationContext } from "./validation.ts";

/** Refuses integers that a double cannot represent exactly (IEEE 754). */
const numberValue = (value: unknown, context: ValidationContext): unknown => {
  if (typeof value !== "number" || Number.isNaN(value))
    return fail(context, "number_type", "Expected a number.", value);
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    return fail(context, "number", "Expected a number between -(2^53 - 1) and 2^53 - 1.");
  }
  return Object.is(value, -0) ? 0 : value;
};

const booleanValue = (value: unknown, context: ValidationContext): unknown =>
  typeof value === "boolean" ? value : fail(context, "boolean_type", "Expected true or false.", value);

/**
 * A value in its stored form, or undefined with an issue in the report. `value` is neither null nor undefined. Formats
 * with rules of their own are decided before the type.
 */
export const fieldValue = (value: unknown, field: Field, context: ValidationContext): unknown => {
  if (field.api_name === "shared_with" && field.system === true) return sharesValue(value, context);
  switch (field.format) {
    case "lookup":
      return lookupValue(value, field, context);
    case "lookup_list":
      return lookupListValue(value, field, context);
    case "compound_lookup":
      return compoundLookupValue(value, context);
    case "address":
      return addressValue(value, context);
    case "multi-select":
      return choicesValue(value, field, context);
    case "json":
      return jsonValue(value, context);
    default:
      return plainValue(value, field, context);
  }
};

const plainValue = (value: unknown, field: Field, context: ValidationContext): unknown => {
  switch (field.type) {
    case "number":
      return numberValue(value, context);
    case "boolean":
      return booleanValue(value, context);
    case "json":
      return jsonValue(value, context);
    case "list":
      return listValue(value, context);
    case "string":
      return textValue(value, field, context);
  }
};
