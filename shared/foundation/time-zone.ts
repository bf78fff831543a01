/** In lower case, because names are case-insensitive. At most one entry for each time zone. */
const known = new Set<string>(["utc"]);
const LONGEST_NAME = 64;

/** Whether it is an IANA name that this runtime knows, such as `Europe/Berlin`. Offsets such as `+02:00` are none. */
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
