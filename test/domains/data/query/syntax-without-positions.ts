/** The tree without positions, to compare the meaning of two texts. */
export const withoutPositions = (tree: unknown): unknown =>
  JSON.parse(JSON.stringify(tree, (key, value) => (key === "at" ? undefined : Object.is(value, -0) ? "-0" : value)));
