import { badValue, failedToParse, MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { isNumeric, isTrue, toInteger } from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";

export function nameOf(command: Doc): string {
  const value = command.values[0];
  if (typeof value !== "string") throw badValue(`collection name has invalid type ${typeName(value)}`);
  return value;
}

export function optionalDoc(doc: Doc, name: string): Doc | undefined {
  const value = doc.get(name);
  if (value === undefined || value === null) return undefined;
  if (!(value instanceof Doc))
    throw new MongoFault(
      "TypeMismatch",
      `BSON field '${doc.keys[0]}.${name}' is the wrong type '${typeName(value)}', expected type 'object'`,
    );
  return value;
}

export function optionalCount(doc: Doc, name: string): number | undefined {
  const value = doc.get(name);
  if (value === undefined || value === null) return undefined;
  if (!isNumeric(value))
    throw new MongoFault(
      "TypeMismatch",
      `BSON field '${name}' is the wrong type '${typeName(value)}', expected types '[long, int, decimal, double]'`,
    );
  const number = toInteger(value);
  if (number === undefined) throw failedToParse(`Expected an integer: ${name}`);
  return number;
}

export function nonNegative(doc: Doc, name: string): number | undefined {
  const number = optionalCount(doc, name);
  if (number !== undefined && number < 0)
    throw new MongoFault("Location51024", `BSON field '${name}' value must be >= 0, actual value '${number}'`);
  return number;
}

/** The batch size of a command that keeps it in the options of its cursor. */
export function batchSizeOf(command: Doc): number | undefined {
  const cursor = optionalDoc(command, "cursor");
  return cursor === undefined ? undefined : nonNegative(cursor, "batchSize");
}

export const flag = (doc: Doc, name: string): boolean => isTrue(doc.get(name));

export function docList(doc: Doc, name: string): readonly Doc[] {
  const value = doc.get(name);
  if (value === undefined) return [];
  if (!Array.isArray(value))
    throw new MongoFault(
      "TypeMismatch",
      `BSON field '${name}' is the wrong type '${typeName(value)}', expected type 'array'`,
    );
  for (const item of value)
    if (!(item instanceof Doc))
      throw new MongoFault(
        "TypeMismatch",
        `BSON field '${name}' holds the wrong type '${typeName(item)}', expected type 'object'`,
      );
  return value as Doc[];
}
