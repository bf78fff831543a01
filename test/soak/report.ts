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

/** Milliseconds of the quiet and the noisy phase, in all and by kind of request. */
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
  /** The two halves of the noise, which have equal load. */
  readonly peaks: { readonly first: Memory; readonly second: Memory };
  readonly end: Memory;
}

export const printMemory = ({ before, peaks: { first, second }, end }: Memories): void => {
  console.log(`\n${columns("memory, MB", "before", "first half", "second half", "at the end")}`);
  console.log(columns("platform", before.platform, first.platform, second.platform, end.platform));
  console.log(`${columns("database", before.database, first.database, second.database, end.database)}\n`);
};

/** An engine does not return all memory that it once needed. */
const TOLERANCE_MB = 64;

/**
 * Whether the second half of the noise and the pause after it add less than half of what the first half added. A leak
 * for each request would add the same again; an engine's heap that has grown once does not.
 */
export const isFlat = ({ before, peaks: { first }, end }: Memories): boolean =>
  (["platform", "database"] as const).every((name) => {
    const grown = Math.max(first[name] - before[name], 0);
    return end[name] > 0 && end[name] <= first[name] + grown / 2 + TOLERANCE_MB;
  });

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
