import { expect, test } from "vitest";
import { messageVolume } from "../soak/message-volume.ts";

test("messages of a platform that is killed in the middle of calls are sent once or unknown, whatever the vendor does", async () => {
  const { twice, wrong, kills, statuses } = await messageVolume({
    messages: 100,
    kills: [
      { at: "called", after: 20 },
      { at: "answered", after: 20 },
    ],
    outage: 8,
  });
  expect(twice).toEqual([]);
  expect(wrong).toEqual([]);
  expect(kills).toBe(2);
  expect(statuses.sent).toBeGreaterThan(70);
});
