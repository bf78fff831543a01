/**
 * A sum of doubles with about 107 bits: the nearest double and its error.
 * Boldo, Graillat, Muller, "On the robustness of the 2Sum and Fast2Sum algorithms", 2016.
 */
export interface DoubleDouble {
  add(x: number): void;
  value(): number;
  reset(): void;
}

export function doubleDouble(): DoubleDouble {
  let sum = 0;
  let rest = 0;
  return {
    add(x) {
      // Fast2Sum of x and the rest, then 2Sum of that and the sum.
      const small = x + rest;
      const lost = rest - (small - x);
      const next = sum + small;
      const part = next - small;
      rest = lost + (sum - part) + (small - (next - part));
      sum = next;
    },
    value: () => sum,
    reset() {
      sum = 0;
      rest = 0;
    },
  };
}
