/** Roughly what a value of an answer takes in memory, in bytes; rather more than less. Keys are shared and count little. */
export const weigh = (value: unknown): number => {
  if (typeof value === "string") return 24 + value.length * 2;
  if (typeof value !== "object" || value === null) return 16;
  if (value instanceof Date) return 96;
  let size = 40;
  if (Array.isArray(value)) for (const item of value) size += 8 + weigh(item);
  else for (const key in value) size += 8 + weigh(value[key as keyof typeof value]);
  return size;
};
