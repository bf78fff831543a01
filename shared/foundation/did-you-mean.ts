/** The candidate that `name` was most likely meant to be: at most a third of its letters differ, ignoring case. */
export const didYouMean = (name: string, candidates: Iterable<string>): string | undefined => {
  if (name.length > 80) return undefined;
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bound = Math.min(3, Math.max(1, Math.floor(wanted.length / 3))) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= bound) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bound) {
      best = candidate;
      bound = distance;
    }
  }
  return best;
};

/** Letters to insert, delete, replace or swap with their neighbour (optimal string alignment). */
const editDistance = (a: string, b: string): number => {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let least = Math.min(
        (previous[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (previous[column - 1] as number) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        least = Math.min(least, (before[column - 2] as number) + 1);
      }
      current.push(least);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] as number;
};
