/** Telephone numbers in E.164. An entry of its own: the numbering plans take 80 KB, which only writing needs. */
import { getCountries, ParseError, type PhoneNumber, parsePhoneNumberWithError } from "libphonenumber-js/core";
import plans from "libphonenumber-js/metadata.min";
import type { PhoneReader } from "../values/validation.ts";

/** In UTF-16 units, as sent. */
const LONGEST = 60;

const parsed = (text: string, options: Parameters<typeof parsePhoneNumberWithError>[1]): PhoneNumber | undefined => {
  try {
    return parsePhoneNumberWithError(text, options, plans);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
};

/** The country (ISO 3166-1 alpha-2) of a number in E.164; undefined if its country code does not tell. */
export const countryOf = (number: string): string | undefined => parsed(number, {})?.country;

/**
 * Reads numbers as people write them. `country` (ISO 3166-1 alpha-2) is assumed for numbers without a country code. The
 * smallest set of numbering plans is used: it knows the lengths of a country's numbers and not which of them are assigned,
 * so that numbers of new ranges are not refused. An extension is kept as in RFC 3966: `+4930123456;ext=12`.
 */
export const phoneReader = (country: string | undefined): PhoneReader => {
  const known = getCountries(plans).find((code) => code === country);
  const options = { extract: false, ...(known && { defaultCountry: known }) } as const;
  return {
    country: known,
    read: (text) => {
      // Copied numbers often have invisible marks of the direction of writing.
      const plain = text.replace(/\p{Cf}/gu, "").trim();
      const found = plain.length > LONGEST ? undefined : parsed(plain, options);
      if (found === undefined || !found.isPossible()) return undefined;
      return found.ext ? `${found.number};ext=${found.ext}` : found.number;
    },
  };
};
