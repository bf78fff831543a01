/** One result: its name, the figure, and the target if there is one. */
export const line = (what: string, figure: string, target = ""): void => {
  console.log(`${what.padEnd(52)} ${figure.padStart(22)}  ${target}`.trimEnd());
};

export const ratio = (
  what: string,
  measured: { first: number; second: number; ratio: number },
  target: number,
  unit = "ms",
): void => {
  const verdict = measured.ratio <= target ? "met" : "missed";
  line(what, `${measured.ratio.toFixed(2)} ×`, `target ≤ ${target} × ${verdict}`);
  line("", `${measured.first.toFixed(3)} : ${measured.second.toFixed(3)} ${unit}`);
};

/** The same for a speed-up factor. */
export const atLeast = (
  what: string,
  measured: { first: number; second: number; ratio: number },
  target: number,
): void => {
  line(what, `${measured.ratio.toFixed(1)} ×`, `target ≥ ${target} × ${measured.ratio >= target ? "met" : "missed"}`);
  line("", `${measured.first.toFixed(3)} : ${measured.second.toFixed(3)} ms`);
};
