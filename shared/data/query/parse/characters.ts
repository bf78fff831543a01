export const isDigit = (code: number): boolean => code >= 48 && code <= 57;

export const isWordStart = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;

export const isWordPart = (code: number): boolean => isWordStart(code) || isDigit(code);

/** Blanks, line ends, the no-break space and the byte order mark. */
export const isSpace = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0xfeff;

const digitsEnd = (text: string, start: number): number => {
  let end = start;
  while (isDigit(text.charCodeAt(end))) end += 1;
  return end;
};

const hasDigits = (text: string, start: number, count: number): boolean => digitsEnd(text, start) >= start + count;

/** The end of a number that begins at `start`: digits, a fraction, an exponent. */
export const numberEnd = (text: string, start: number): number => {
  let end = digitsEnd(text, start);
  if (text[end] === ".") end = digitsEnd(text, end + 1);
  if (text[end] !== "e" && text[end] !== "E") return end;
  const signed = text[end + 1] === "+" || text[end + 1] === "-" ? 2 : 1;
  return hasDigits(text, end + signed, 1) ? digitsEnd(text, end + signed) : end;
};

/** The end of an ISO date or date-time that begins at `start`; `start` if there is none. The value is checked later. */
export const isoDateEnd = (text: string, start: number): number => {
  const dashes = text[start + 4] === "-" && text[start + 7] === "-";
  if (!dashes || !hasDigits(text, start, 4) || !hasDigits(text, start + 5, 2) || !hasDigits(text, start + 8, 2)) {
    return start;
  }
  const day = start + 10;
  if (isDigit(text.charCodeAt(day))) return start;
  const time = text[day] === "T" || text[day] === "t";
  return time && hasDigits(text, day + 1, 2) ? offsetEnd(text, timeEnd(text, day + 1)) : day;
};

const timeEnd = (text: string, start: number): number => {
  let end = start;
  while (isDigit(text.charCodeAt(end)) || text[end] === ":" || text[end] === ".") end += 1;
  return end;
};

const offsetEnd = (text: string, start: number): number => {
  const sign = text[start];
  if (sign === "Z" || sign === "z") return start + 1;
  return (sign === "+" || sign === "-") && hasDigits(text, start + 1, 2) ? timeEnd(text, start + 1) : start;
};
