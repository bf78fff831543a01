import { Decimal, preciseDecimal } from "../values/decimal.ts";
import { addDecimals, divideDecimals } from "../values/decimal-arithmetic.ts";
import { fitsInt64, isNumeric, type Numeric, toDecimal, toNumber } from "../values/numbers.ts";
import { double, isInt32, type Maybe, type Value } from "../values/types.ts";

/** A running total: integers are exact, doubles carry their rounding error. */
export interface Total {
  add(value: Maybe): void;
  sum(): Numeric;
  average(): Value;
}

export function newTotal(): Total {
  let integers = 0n;
  let small = 0;
  let sum = 0;
  let carry = 0;
  let decimals: Decimal | undefined;
  let widest: "int" | "long" | "double" = "int";
  let count = 0;
  const addDouble = (x: number): void => {
    widest = "double";
    const next = sum + x;
    if (Number.isFinite(next)) {
      const virtual = next - sum;
      carry += sum - (next - virtual) + (x - virtual);
    }
    sum = next;
  };
  const whole = (): bigint => integers + BigInt(small);
  const doubles = (): number => {
    const extra = whole();
    if (extra === 0n) return sum + (Number.isFinite(sum) ? carry : 0);
    return Number.isFinite(sum) ? sum + (carry + Number(extra)) : sum;
  };
  const asDecimal = (): Decimal => {
    let others = toDecimal(whole());
    if (widest === "double") others = addDecimals(others, preciseDecimal(sum));
    if (widest === "double" && Number.isFinite(sum)) others = addDecimals(others, preciseDecimal(carry));
    return addDecimals(decimals as Decimal, others);
  };
  return {
    add(value) {
      if (typeof value === "number" && isInt32(value)) {
        count++;
        small += value;
        if (small > 9e15 || small < -9e15) {
          integers += BigInt(small);
          small = 0;
        }
      } else if (isNumeric(value)) {
        count++;
        if (value instanceof Decimal) decimals = decimals === undefined ? value : addDecimals(decimals, value);
        else if (typeof value === "bigint") {
          integers += value;
          if (widest === "int") widest = "long";
        } else addDouble(toNumber(value));
      }
    },
    sum() {
      if (decimals !== undefined) return asDecimal();
      if (widest === "double") return double(doubles());
      const total = whole();
      if (!fitsInt64(total)) return double(Number(total));
      return widest === "int" && isInt32(Number(total)) ? Number(total) : total;
    },
    average() {
      if (count === 0) return null;
      if (decimals !== undefined) return divideDecimals(asDecimal(), toDecimal(count));
      return double((widest === "double" ? doubles() : Number(whole())) / count);
    },
  };
}
