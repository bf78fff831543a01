/** Where something stands in the request's body: `["pipeline", 2, "$lookup", "pipeline", 0, "$out"]`. */
export type Place = readonly (string | number)[];

const LONGEST_KEY = 80;

const short = (key: string): string => (key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}…` : key);

/** Keys are the caller's and may be of any length. */
export const shortPlace = (place: Place): Place => place.map((part) => (typeof part === "string" ? short(part) : part));

/** `pipeline[2].$lookup.pipeline[0].$out` */
export const placeText = (place: Place): string =>
  shortPlace(place)
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${part}`))
    .join("");
