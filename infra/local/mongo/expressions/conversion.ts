import { MongoFault, unsupported } from "../foundation/fault.ts";
import { isNullish, isNumeric, toInteger } from "../values/numbers.ts";
import { typeName, typeNameOf, typesOf } from "../values/type-names.ts";
import type { Maybe, Value } from "../values/types.ts";
import { compile, type Expr, type Frame, fold, type Operator } from "./compile.ts";
import { namedArguments, operands } from "./operands.ts";
import { type Converter, converters, failed } from "./value-conversion.ts";

function shorthand(type: number): Operator {
  return (argument, scope, name) => {
    const [part] = operands(name, argument, scope, 1) as [Expr];
    const convert = converters[type] as Converter;
    return fold([part], (frame) => {
      const value = part(frame);
      return isNullish(value) ? null : convert(value);
    });
  };
}

function convertTo(target: Maybe): Converter {
  const types = typesOf(target as Value, (value) => toInteger(value));
  const [type] = types;
  if (types.length !== 1 || type === undefined) throw new MongoFault("BadValue", "$convert's 'to' must name one type");
  const converter = converters[type];
  if (converter === undefined) {
    if ([3, 4, 5].includes(type)) throw unsupported(`$convert to ${typeNameOf(type)}`);
    throw failed(`Unsupported conversion to ${typeNameOf(type)} in $convert with no onError value`);
  }
  return converter;
}

function convert(argument: Value, scope: Parameters<Operator>[1], name: string): Expr {
  const args = namedArguments(name, argument, ["input", "to"], ["onError", "onNull"]);
  const input = compile(args.get("input") as Value, scope);
  const to = compile(args.get("to") as Value, scope);
  const [onError, onNull] = ["onError", "onNull"].map((key) => {
    const value = args.get(key);
    return value === undefined ? undefined : compile(value, scope);
  });
  return (frame: Frame) => {
    const value = input(frame);
    const target = to(frame);
    if (isNullish(value)) return onNull === undefined ? null : onNull(frame);
    if (isNullish(target)) return null;
    const converter = convertTo(target);
    try {
      return converter(value);
    } catch (error) {
      if (onError !== undefined && error instanceof MongoFault && error.codeName === "ConversionFailure")
        return onError(frame);
      throw error;
    }
  };
}

export const conversionOperators: Record<string, Operator> = {
  $convert: convert,
  $toInt: shorthand(16),
  $toLong: shorthand(18),
  $toDouble: shorthand(1),
  $toDecimal: shorthand(19),
  $toString: shorthand(2),
  $toBool: shorthand(8),
  $toDate: shorthand(9),
  $toObjectId: shorthand(7),
  $type(argument, scope, name) {
    const [part] = operands(name, argument, scope, 1) as [Expr];
    return fold([part], (frame) => typeName(part(frame)));
  },
  $isNumber(argument, scope, name) {
    const [part] = operands(name, argument, scope, 1) as [Expr];
    return fold([part], (frame) => isNumeric(part(frame)));
  },
};
