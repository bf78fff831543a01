import { randomInt } from "node:crypto";

/** Gives the milliseconds of one request of its kind; `round` counts from 0. */
export type TimedRequest = (round: number) => Promise<number>;

const shuffled = <T>(items: readonly T[]): T[] => {
  const rest = [...items];
  return items.flatMap(() => rest.splice(randomInt(rest.length), 1));
};

/**
 * Times requests of several kinds, one of each in a round, in random order. Other load of the machine affects each kind
 * with the same probability, so it does not look like a difference.
 */
export const timeInterleaved = async <Kind extends string>(
  kinds: Readonly<Record<Kind, TimedRequest>>,
  rounds: number,
): Promise<Record<Kind, number[]>> => {
  const entries = Object.entries<TimedRequest>(kinds);
  const times = Object.fromEntries(entries.map(([kind]) => [kind, new Array<number>(rounds)]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [kind, timed] of shuffled(entries)) (times[kind] ?? [])[round] = await timed(round);
  }
  return times as Record<Kind, number[]>;
};

/** The ranks of values, 1 for the smallest. Equal values share a rank. */
const ranksOf = (values: readonly number[]): number[] => {
  const sorted = values.toSorted((a, b) => a - b);
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2 + 1);
};

/**
 * Wilcoxon's signed-rank test: the standard deviations of the signed ranks from their expectation. Ranks are used so
 * that a single pause of the machine does not outweigh the other rounds.
 */
export const signedRankScore = (first: readonly number[], second: readonly number[]): number => {
  const differences = first.map((value, index) => value - (second[index] ?? Number.NaN));
  const ranks = ranksOf(differences.map(Math.abs));
  const signed = ranks.map((rank, index) => rank * Math.sign(differences[index] ?? Number.NaN));
  const sum = signed.reduce((total, rank) => total + rank, 0);
  return sum / Math.sqrt(ranks.reduce((total, rank) => total + rank ** 2, 0));
};
