const known = new Set<string>(["UTC"]);

/** Is it an IANA name that this runtime knows, such as `Europe/Berlin`? Offsets such as `+02:00` are none. */
export const isTimeZone = (name: unknown): name is string => {
  if (typeof name !== "string" || !/^[A-Za-z]/.test(name)) return false;
  if (known.has(name)) return true;
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
  } catch {
    return false;
  }
  known.add(name);
  return true;
};
