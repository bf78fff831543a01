/** The tree alone, to compare what two texts mean. */
export const withoutPositions = (tree: unknown): unknown =>
  JSON.parse(JSON.stringify(tree, (key, value) => (key === "at" ? undefined : Object.is(value, -0) ? "-0" : value)));
