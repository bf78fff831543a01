import type { Outcomes } from "./noise.ts";
import type { Memory } from "./platform.ts";
import type { Sample } from "./traffic.ts";

const percentile = (samples: readonly Sample[], share: number): number => {
  const sorted = samples.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
};

const columns = (...cells: readonly (string | number)[]): string =>
  cells.map((cell, index) => (index === 0 ? String(cell).padEnd(24) : String(cell).padStart(12))).join("");

const row = (name: string, quiet: readonly Sample[], loud: readonly Sample[]): string => {
  const figures = [quiet, loud].flatMap((samples) => [percentile(samples, 0.5), percentile(samples, 0.99)]);
  const ratio = (figures[3] ?? Number.NaN) / (figures[1] ?? Number.NaN);
  return columns(name, quiet.length + loud.length, ...figures.map((figure) => figure.toFixed(1)), ratio.toFixed(2));
};

/** Milliseconds of the quiet and of the noisy phase, in all and by kind of request. */
export const printKinds = (quiet: readonly Sample[], loud: readonly Sample[]): void => {
  console.log(columns("the others, ms", "requests", "quiet p50", "quiet p99", "noisy p50", "noisy p99", "p99 ratio"));
  for (const name of [...new Set(quiet.map(({ kind }) => kind))].sort()) {
    const of = (samples: readonly Sample[]): Sample[] => samples.filter(({ kind }) => kind === name);
    console.log(row(name, of(quiet), of(loud)));
  }
  console.log(row("all", quiet, loud));
};

export const printOutcomes = (outcomes: Outcomes): void => {
  console.log("\nthe noisy one");
  for (const [attack, counts] of outcomes) {
    const parts = [...counts].sort(([, a], [, b]) => b - a).map(([outcome, count]) => `${count} × ${outcome}`);
    console.log(`  ${attack.padEnd(22)}  ${parts.join(", ")}`);
  }
};

interface Memories {
  readonly before: Memory;
  readonly peak: Memory;
  readonly end: Memory;
}

export const printMemory = ({ before, peak, end }: Memories): void => {
  console.log(`\n${columns("memory, MB", "before", "peak", "at the end")}`);
  console.log(columns("platform", before.platform, peak.platform, end.platform));
  console.log(`${columns("database", before.database, peak.database, end.database)}\n`);
};

/** What an engine keeps for the next time: three young generations of 32 MB, and pages that it has not given back. */
export const KEPT = 256;

/** Each process uses at most half as much again as before, and what an engine keeps. */
export const isFlat = ({ before, end }: Pick<Memories, "before" | "end">): boolean =>
  (["platform", "database"] as const).every((name) => end[name] > 0 && end[name] <= before[name] * 1.5 + KEPT);

interface Phases {
  readonly quiet: readonly Sample[];
  readonly loud: readonly Sample[];
  readonly after: readonly Sample[];
}

export const summaryOf = ({ quiet, loud, after }: Phases) => ({
  requests: quiet.length + loud.length + after.length,
  failures: [...quiet, ...loud, ...after].flatMap(({ failure }) => (failure === undefined ? [] : [failure])),
  ratio: percentile(loud, 0.99) / percentile(quiet, 0.99),
});
