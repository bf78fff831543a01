/** At most this many bytes as JSON, counted without making the JSON: every character may need an escape of six. */
const bound = (value: unknown): number => {
  if (typeof value === "string") return value.length * 6 + 2;
  if (typeof value !== "object" || value === null || value instanceof Date) return 32;
  let size = 2;
  if (Array.isArray(value)) for (const item of value) size += bound(item) + 1;
  else for (const key in value) size += key.length * 6 + 4 + bound(value[key as keyof typeof value]);
  return size;
};

const exactly = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) + 1;

/**
 * Says of each row whether the reply still fits. Rows are measured only once a cheap upper bound of them all has been
 * passed, which most replies never do. The first row always fits: a reply without any would lead nowhere.
 */
export const createSizeMeter = (maxBytes: number): ((row: object, before: readonly object[]) => boolean) => {
  let bounded = 0;
  let exact: number | null = null;
  return (row, before) => {
    if (exact === null) {
      bounded += bound(row);
      if (bounded <= maxBytes) return true;
      exact = 2;
      for (const earlier of before) exact += exactly(earlier);
    }
    exact += exactly(row);
    return exact <= maxBytes || before.length === 0;
  };
};
