import { MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { typeName } from "../values/type-names.ts";
import type { Value } from "../values/types.ts";
import { type Check, required } from "./fields.ts";
import { described, orText } from "./stage-checks.ts";
import { arrayOf, object, oneOf, shape, text } from "./types.ts";

const found = (value: Value): string => `but found ${typeName(value)}`;

const namespace = shape({ db: text, coll: text });

const into: Check = (value, at) => {
  if (typeof value === "string") return;
  if (!(value instanceof Doc))
    throw new MongoFault("Location51178", `$merge 'into' field must be either a string or an object, ${found(value)}`);
  namespace(value, at);
  if (typeof value.get("coll") !== "string" || value.get("coll") === "")
    throw new MongoFault(
      "Location5786801",
      "$merge 'into' field must specify a 'coll' that is not empty, null or undefined",
    );
};

const on: Check = (value) => {
  if (typeof value === "string") return;
  if (!Array.isArray(value))
    throw new MongoFault(
      "Location51186",
      `$merge 'on' field must be either a string or an array of strings, ${found(value)}`,
    );
  if (value.length === 0)
    throw new MongoFault("Location51187", "If explicitly specifying $merge 'on', must include at least one field");
  for (const item of value)
    if (typeof item !== "string")
      throw new MongoFault("Location51134", `$merge 'on' array elements must be strings, ${found(item)}`);
};

const mode = oneOf("replace", "keepExisting", "merge", "fail");
const pipeline = arrayOf(object);

const whenMatched: Check = (value, at) => {
  if (typeof value === "string") mode(value, at);
  else if (Array.isArray(value)) pipeline(value, at);
  else
    throw new MongoFault(
      "Location51191",
      `$merge 'whenMatched' field must be either a string or an array, ${found(value)}`,
    );
};

export const mergeArguments = orText(
  described("Location51182", {
    into: required(into),
    on,
    let: object,
    whenMatched,
    whenNotMatched: oneOf("insert", "discard", "fail"),
  }),
);
