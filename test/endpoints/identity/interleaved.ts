import { randomInt } from "node:crypto";

/** Answers the milliseconds that one request of its kind took; `round` counts from 0. */
export type TimedRequest = (round: number) => Promise<number>;

const shuffled = <T>(items: readonly T[]): T[] => {
  const rest = [...items];
  return items.flatMap(() => rest.splice(randomInt(rest.length), 1));
};

/**
 * Times requests of several kinds, one of each a round, in an order that is drawn by lot for every round. Whatever else the
 * machine does then falls on each kind with the same chance, so it cannot look like a difference between them.
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

/** The ranks of values, 1 for the smallest; equal ones share theirs. */
const ranksOf = (values: readonly number[]): number[] => {
  const sorted = values.toSorted((a, b) => a - b);
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2 + 1);
};

/**
 * Wilcoxon's signed-rank test of pairs: how many standard deviations the signed ranks of the differences are from what chance
 * gives. Ranks, since one pause of the machine must not outweigh every other round.
 */
export const signedRankScore = (first: readonly number[], second: readonly number[]): number => {
  const differences = first.map((value, index) => value - (second[index] ?? Number.NaN));
  const ranks = ranksOf(differences.map(Math.abs));
  const signed = ranks.map((rank, index) => rank * Math.sign(differences[index] ?? Number.NaN));
  const sum = signed.reduce((total, rank) => total + rank, 0);
  return sum / Math.sqrt(ranks.reduce((total, rank) => total + rank ** 2, 0));
};
