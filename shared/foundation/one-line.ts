/** A text as one line without invisible characters, of at most so many UTF-16 units. */
export const oneLine = (text: string, most: number): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, most)
    .toWellFormed();
