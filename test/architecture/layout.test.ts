import { execFileSync } from "node:child_process";
import { basename, dirname } from "node:path";
import { expect, test } from "vitest";
import { handlerPath } from "#contracts/contract";
import { jobs } from "#contracts/jobs";
import { routes } from "#contracts/routes";
import { runScheduled } from "#contracts/scheduled-work";
import { jobHandler, scheduledWorkHandler } from "#contracts/schedules";
import { taskHandler } from "#contracts/workflow";
import { tasks } from "#contracts/workflows";
import { sources } from "./sources.ts";

const MAX_LINES = 300;

/** Files that may be longer, each with the reason. */
const LONGER: Readonly<Record<string, string>> = {};

const tracked = execFileSync("git", ["ls-files"], { encoding: "utf8" }).trim().split("\n");

test("only the documented folders are at the top level", () => {
  const folders = new Set(tracked.filter((path) => path.includes("/")).map((path) => path.split("/")[0]));
  const documented = ["infra", "functions", "shared", "cli", "test", "docs", ".ci", ".github"];
  expect([...folders].filter((folder) => !documented.includes(folder ?? ""))).toEqual([]);
});

test(`no source file has more than ${MAX_LINES} lines without a reason`, async () => {
  const long = (await sources("shared", "functions", "infra", "cli"))
    .filter(({ text }) => text.trimEnd().split("\n").length > MAX_LINES)
    .map(({ path }) => path);
  expect(long).toEqual(Object.keys(LONGER).sort());
});

test("no file or folder is called utils, helpers or misc", async () => {
  const vague = /(?:^|\/)(?:utils?|helpers?|misc)(?:\.ts|\/)/;
  expect(
    (await sources("shared", "functions", "infra", "cli")).map(({ path }) => path).filter((path) => vague.test(path)),
  ).toEqual([]);
});

test("only an entry file re-exports from other files", async () => {
  const barrels = (await sources("shared", "functions", "infra", "cli"))
    .filter(({ text }) => /^export (?:type )?(?:\*|\{[^}]*\})(?: as \w+)? from /m.test(text))
    .map(({ path }) => path)
    .filter((path) => !path.startsWith("shared/") || basename(path, ".ts") !== basename(dirname(path)));
  expect(barrels).toEqual([]);
});

test("a function file exports its handler and nothing else", async () => {
  const exporting = /^export\s+(?:default\b|(?:async\s+)?(?:const|let|function|class|type|interface)\s+(\w+)|.*)/gm;
  for (const { path, text } of await sources("functions")) {
    expect([path, [...text.matchAll(exporting)].map((match) => match[1])]).toEqual([path, ["handler"]]);
  }
});

test("every task of a workflow has its handler file, and every handler file under functions/workflow its task", async () => {
  const handlers = (await sources("functions/workflow")).map(({ path }) => path);
  expect(handlers.toSorted()).toEqual(tasks.map(taskHandler).toSorted());
});

test("every job and every scheduled work has its handler file, and every handler file under functions/schedule its contract", async () => {
  const handlers = (await sources("functions/schedule")).map(({ path }) => path);
  expect(handlers.toSorted()).toEqual([...jobs.map(jobHandler), scheduledWorkHandler(runScheduled)].toSorted());
});

test("every route has its handler file, and every handler file under functions/http its route", async () => {
  const handlers = (await sources("functions/http")).map(({ path }) => path);
  const routed = routes.map(handlerPath);
  expect([...handlers].sort()).toEqual([...new Set([...routed, "functions/http/default-route.ts"])].sort());
});
