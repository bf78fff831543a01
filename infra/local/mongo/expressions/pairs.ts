import { MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { isNullish } from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";
import type { Value } from "../values/types.ts";
import type { Operator } from "./compile.ts";
import { unary } from "./operands.ts";

function pairOf(item: Value): [string, Value] {
  if (Array.isArray(item)) {
    const [key, value] = item;
    if (item.length !== 2 || value === undefined)
      throw new MongoFault(
        "Location40397",
        `$arrayToObject requires an array of size 2 arrays, found array of size: ${item.length}`,
      );
    if (typeof key !== "string")
      throw new MongoFault(
        "Location40395",
        `$arrayToObject requires an array of key-value pairs, where the key must be of type string. Found key type: ${typeName(key)}`,
      );
    return [key, value];
  }
  if (!(item instanceof Doc))
    throw new MongoFault("Location40398", `Unrecognised input type format for $arrayToObject: ${typeName(item)}`);
  const key = item.get("k");
  const value = item.get("v");
  if (item.size !== 2 || key === undefined || value === undefined)
    throw new MongoFault("Location40393", "$arrayToObject requires an object with keys 'k' and 'v'");
  if (typeof key !== "string")
    throw new MongoFault(
      "Location40394",
      `$arrayToObject requires an object with keys 'k' and 'v', where the value of 'k' must be of type string. Found type: ${typeName(key)}`,
    );
  return [key, value];
}

const pairNames = ["k", "v"];

/** So many names are compared one by one. */
const fewPairs = 12;

export const pairOperators: Record<string, Operator> = {
  $objectToArray: unary((value) => {
    if (isNullish(value)) return null;
    if (!(value instanceof Doc))
      throw new MongoFault("Location40390", `$objectToArray requires a document input, found: ${typeName(value)}`);
    const { keys, values } = value;
    return keys.map((key, i) => Doc.of(pairNames, [key, values[i] as Value]));
  }),
  $arrayToObject: unary((value) => {
    if (isNullish(value)) return null;
    if (!Array.isArray(value))
      throw new MongoFault("Location40386", `$arrayToObject requires an array input, found: ${typeName(value)}`);
    // Of several values of one key the last counts, at the position of the first.
    const places = value.length > fewPairs ? new Map<string, number>() : undefined;
    const keys: string[] = [];
    const values: Value[] = [];
    for (const item of value) {
      const [key, member] = pairOf(item);
      if (key.includes("\0")) throw new MongoFault("Location4940400", "Key field cannot contain an embedded null byte");
      const at = places === undefined ? keys.indexOf(key) : (places.get(key) ?? -1);
      if (at >= 0) values[at] = member;
      else {
        places?.set(key, keys.length);
        keys.push(key);
        values.push(member);
      }
    }
    return Doc.of(keys, values);
  }),
};
