import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { issuesOfStored } from "#shared/data/schema/automations/check/check";
import { known } from "./definitions.ts";

it("the example of docs/automations.md is accepted", async () => {
  const page = await readFile("docs/automations.md", "utf8");
  const [, text = ""] = /```json\n(.*?)```/s.exec(page) ?? [];
  const example = JSON.parse(text);
  expect(example.nodes.length).toBeGreaterThan(5);
  const hasFunction = (which: object) => "file_name" in which && which.file_name === "score_lead.py";
  expect(issuesOfStored(example, { ...known, hasFunction })).toEqual([]);
});
