const milliseconds = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/**
 * The interval of `rate(5 minutes)` in milliseconds; undefined for any other expression.
 * https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#rate-based
 */
export const intervalOf = (expression: string): number | undefined => {
  const [, count, unit, plural] = /^rate\(([1-9]\d*) (minute|hour|day)(s?)\)$/.exec(expression) ?? [];
  if (count === undefined || (plural === "s") === (count === "1")) return undefined;
  return Number(count) * milliseconds[unit as keyof typeof milliseconds];
};
