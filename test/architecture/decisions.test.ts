import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const FOLDER = "docs/decisions";
const notes = readdirSync(FOLDER).filter((name) => /^\d{4}-/.test(name));
const index = readFileSync(`${FOLDER}/README.md`, "utf8");

test.each(notes)("%s has its number, a date and a status, and is in the index with them", (name) => {
  const [title = "", , status = ""] = readFileSync(`${FOLDER}/${name}`, "utf8").split("\n");
  const [, number, words] = /^# (\d+)\. (.+)$/.exec(title) ?? [];
  expect(number?.padStart(4, "0")).toBe(name.slice(0, 4));
  const [, date, state] = /^Date: (\d{4}-\d\d-\d\d)\. Status: (accepted|superseded by \d+)\.$/.exec(status) ?? [];
  expect(index).toContain(`| ${number} | [${words}](${name}) | ${date} | ${state} |`);
});

test("every note of the index exists", () => {
  const named = [...index.matchAll(/\]\((\d{4}-[^)]+)\)/g)].map((match) => match[1]);
  expect(named.toSorted()).toEqual(notes.toSorted());
});
