import { login, type Person, type Waiting } from "./second-factors.ts";

/** Begins as many sign-ins as the platform allows, up to `count`, concurrently. */
export const beginMany = async (person: Person, count: number): Promise<Waiting[]> => {
  const replies = await Promise.all(Array.from({ length: count }, () => login(person)));
  return replies.filter(({ status }) => status === 200).map(({ body }) => body);
};

export interface Guesses {
  readonly minute: number;
  readonly count: number;
}

/** The largest number within one hour. */
export const worstHour = (guesses: readonly Guesses[]): number =>
  Math.max(
    ...guesses.map(({ minute: from }) =>
      guesses.reduce((sum, { minute, count }) => (minute >= from && minute < from + 60 ? sum + count : sum), 0),
    ),
  );
