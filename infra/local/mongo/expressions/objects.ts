import { MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { documentSize } from "../values/encoding.ts";
import { isNullish } from "../values/numbers.ts";
import { checkParts } from "../values/paths.ts";
import { typeName } from "../values/type-names.ts";
import { Binary, type Value } from "../values/types.ts";
import { compile, constant, type Expr, fold, type Operator, type Scope } from "./compile.ts";
import { namedArguments, operands } from "./operands.ts";

/** A constant field name. A name that begins with $ is written with $literal. */
function fieldName(name: string, value: Value, scope: Scope): string {
  const expr = compile(value, scope);
  const field = expr.isConstant === true ? expr([]) : undefined;
  if (typeof field !== "string")
    throw new MongoFault(
      name === "$getField" ? "Location5654602" : "Location4161107",
      `${name} requires 'field' to evaluate to a constant of type String`,
    );
  checkParts(field, [field]);
  return field;
}

export const objectOperators: Record<string, Operator> = {
  $getField(argument, scope, name) {
    const isLong = argument instanceof Doc && argument.keys.length > 0 && !argument.keys[0]?.startsWith("$");
    if (!isLong) {
      const field = fieldName(name, argument, scope);
      return (frame) => (frame[0] instanceof Doc ? frame[0].get(field) : undefined);
    }
    const args = namedArguments(name, argument, ["field"], ["input"]);
    const field = fieldName(name, args.get("field") as Value, scope);
    const input = compile(args.get("input") ?? "$$CURRENT", scope);
    return (frame) => {
      const value = input(frame);
      if (value instanceof Doc) return value.get(field);
      return isNullish(value) ? value : undefined;
    };
  },
  $setField(argument, scope, name) {
    const args = namedArguments(name, argument, ["field", "input", "value"]);
    return setField(
      name,
      args.get("field") as Value,
      args.get("input") as Value,
      compile(args.get("value") as Value, scope),
      scope,
    );
  },
  $unsetField(argument, scope, name) {
    const args = namedArguments(name, argument, ["field", "input"]);
    return setField(name, args.get("field") as Value, args.get("input") as Value, constant(undefined), scope);
  },
  $bsonSize(argument, scope, name) {
    const [part] = operands(name, argument, scope, 1) as [Expr];
    return fold([part], (frame) => {
      const value = part(frame);
      if (isNullish(value)) return null;
      if (!(value instanceof Doc))
        throw new MongoFault("Location31393", `$bsonSize requires a document input, found: ${typeName(value)}`);
      return documentSize(value);
    });
  },
  $binarySize(argument, scope, name) {
    const [part] = operands(name, argument, scope, 1) as [Expr];
    return fold([part], (frame) => {
      const value = part(frame);
      if (isNullish(value)) return null;
      if (typeof value === "string") return Buffer.byteLength(value);
      if (value instanceof Binary) return value.bytes.length;
      throw new MongoFault(
        "Location51276",
        `$binarySize requires a string or BinData argument, found: ${typeName(value)}`,
      );
    });
  },
};

function setField(name: string, fieldSpec: Value, inputSpec: Value, value: Expr, scope: Scope): Expr {
  const field = fieldName(name, fieldSpec, scope);
  const input = compile(inputSpec, scope);
  return (frame) => {
    const doc = input(frame);
    if (isNullish(doc)) return null;
    if (!(doc instanceof Doc))
      throw new MongoFault("Location4161105", `${name} requires 'input' to evaluate to type Object`);
    const next = value(frame);
    return next === undefined ? doc.without(field) : doc.with(field, next);
  };
}
