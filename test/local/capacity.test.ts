import { expect, test } from "vitest";
import { capacity } from "../../infra/local/lambda/capacity.ts";

/** A function's environments, as the shared capacity sees them. */
const member = (places: ReturnType<typeof capacity>, idle: number[]) => {
  const self = {
    idle,
    idleSince: () => idle[0],
    endIdle: () => {
      idle.shift();
      places.give();
    },
  };
  places.join(self);
  return self;
};

test("at full capacity the environment that has been idle longest is ended", () => {
  const places = capacity(3, 1);
  expect([places.take(), places.take(), places.take(), places.take()]).toEqual([true, true, true, false]);
  const early = member(places, [100]);
  const late = member(places, [200]);
  expect(places.take(false)).toBe(false);
  expect(places.take()).toBe(true);
  expect([early.idle, late.idle]).toEqual([[], [200]]);
  expect(places.take()).toBe(true);
  expect(late.idle).toEqual([]);
  expect(places.take()).toBe(false);
  places.give();
  expect(places.take()).toBe(true);
});
