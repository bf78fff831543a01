/** In lower case, since letter case does not matter: as many as there are time zones, and no more. */
const known = new Set<string>(["utc"]);
const LONGEST_NAME = 64;

/** Is it an IANA name that this runtime knows, such as `Europe/Berlin`? Offsets such as `+02:00` are none. */
export const isTimeZone = (name: unknown): name is string => {
  if (typeof name !== "string" || name.length > LONGEST_NAME || !/^[A-Za-z]/.test(name)) return false;
  if (known.has(name.toLowerCase())) return true;
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
  } catch {
    return false;
  }
  known.add(name.toLowerCase());
  return true;
};
