/** Objects of an organization. */
export const MOST_OBJECTS = 1_000;
