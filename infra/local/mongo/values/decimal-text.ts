import { Decimal, rounded } from "./decimal.ts";

export function parseDecimal(text: string): Decimal | undefined {
  const special = /^([+-]?)(?:(inf|infinity)|(nan))$/i.exec(text);
  if (special !== null)
    return special[3] !== undefined ? Decimal.nan : special[1] === "-" ? Decimal.minusInfinity : Decimal.infinity;
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  if (whole === "" && fraction === "") return undefined;
  return rounded(sign === "-", BigInt(whole + fraction), Number(exponent) - fraction.length);
}

export function decimalToString(value: Decimal): string {
  const sign = value.negative ? "-" : "";
  if (value.kind === "nan") return "NaN";
  if (value.kind === "infinity") return `${sign}Infinity`;
  const text = value.coefficient.toString();
  const scientific = value.exponent + text.length - 1;
  if (scientific < -6 || value.exponent > 0) {
    const rest = text.length > 1 ? `.${text.slice(1)}` : "";
    return `${sign}${text[0]}${rest}E${scientific >= 0 ? "+" : ""}${scientific}`;
  }
  if (value.exponent === 0) return sign + text;
  const point = text.length + value.exponent;
  if (point > 0) return `${sign}${text.slice(0, point)}.${text.slice(point)}`;
  return `${sign}0.${"0".repeat(-point)}${text}`;
}

export const decimalToNumber = (value: Decimal): number => Number(decimalToString(value));
