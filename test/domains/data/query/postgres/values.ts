/** Few values, so that they are often equal, and edge cases in which databases may differ. */
export const texts = [
  ..."a b B ab AB Ä ä é ß ẞ 10 9 1e1 true null $name $$ROOT a.b a% a_ a\\b Привет привет 😀 \uFFFD Ω ω".split(" "),
  "",
  " a",
  "a ",
  "x\ny",
  "it's",
  '"quoted"',
  "e\u0301",
];

export const patterns = [
  ..."a A %a a% %B% _ __ % %% a\\% a\\_ A.B %ä% ПРИ% _É %b%a% %a_ $% %\\\\% Ω 😀 _% ẞ %'%".split(" "),
  "",
  "x_y",
  "X%Y",
  " %",
  "%\n%",
];

/** Their sums are exact in binary, in any order. */
export const numbers = [
  -1, 0, 0.25, 0.5, 1, 1.5, 2, 3, 10, 1_000_000, 2_147_483_647, -2_147_483_648, 1_099_511_627_776,
];

export const days = [
  "1969-12-31",
  "2024-02-29",
  "2025-12-31",
  "2026-01-01",
  "2026-03-01",
  "2026-03-15",
  "2026-03-16",
  "2026-03-17",
  "2026-03-18",
  "2026-03-19",
  "2026-03-29",
  "2026-04-01",
  "2026-10-25",
];

/** Around midnight and around clock changes in the time zones below. */
export const moments = [
  "1969-12-31T23:59:59.999Z",
  "2025-12-31T23:30:00.000Z",
  "2026-01-01T04:59:59.999Z",
  "2026-01-01T05:00:00.000Z",
  "2026-03-16T00:00:00.000Z",
  "2026-03-17T18:29:59.999Z",
  "2026-03-17T18:30:00.000Z",
  "2026-03-17T23:00:00.000Z",
  "2026-03-18T00:00:00.000Z",
  "2026-03-18T10:30:00.000Z",
  "2026-03-28T22:59:59.999Z",
  "2026-03-28T23:00:00.000Z",
  "2026-03-29T21:59:59.999Z",
  "2026-10-24T22:00:00.000Z",
  "2026-10-25T22:59:59.999Z",
];

/** Date-times as people write them, with an offset and without. */
export const momentTexts = [
  ...moments,
  "2026-03-18 10:30",
  "2026-03-18T00:00:00",
  "2026-03-17T19:30:00-04:00",
  "2026-03-18T10:30:00.000+0530",
  "2026-01-01T00:00",
];

export const timeZones = ["UTC", "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"];

export const now = new Date("2026-03-18T10:30:00.000Z");
