import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import type { DemoClient, DemoReply } from "./client.ts";
import type { Step } from "./tour.ts";

interface FunctionsTour {
  readonly play: (step: Step) => Promise<DemoReply>;
  /** For requests that are no steps. */
  readonly call: DemoClient;
  /** Access tokens. */
  readonly owner: string;
  readonly member: string;
}

const record = z.object({ id: z.string() });
const item = z.object({ status: z.string() });

const scoring = `async def execute(platform, **kwargs):
    rows = await platform.query.sql("SELECT name, amount FROM lead WHERE status = $1 ORDER BY amount DESC", [kwargs["status"]])
    platform.log(f"{len(rows)} leads are {kwargs['status']}")
    return {"status": "success", "count": len(rows), "best": rows[0]["name"] if rows else None}
`;

const curious = `import os

async def execute(platform, **kwargs):
    return dict(os.environ)
`;

const tidying = `async def execute(context):
    for id, lead in context.new_map.items():
        lead["name"] = lead["name"].strip().title()
        if (lead.get("amount") or 0) < 0:
            raise TriggerError("A lead cannot be worth less than nothing.", "amount")
`;

const report = {
  name: "Report on leads",
  active: true,
  nodes: [
    { id: "start", type: "trigger", config: { kind: "manual" } },
    {
      id: "count",
      type: "function",
      config: { function_name: "count_leads.py", inputs: { status: { "=": "inputs.status" } } },
    },
    { id: "many", type: "condition", config: { expression: "nodes.count.count > 50.0" } },
    {
      id: "task",
      type: "create_record",
      config: { object: "task", values: { name: { "=": "'Call ' + nodes.count.best" }, status: "Open" } },
    },
    { id: "busy", type: "return", config: { value: { task: { "=": "nodes.task.name" } } } },
    { id: "quiet", type: "return", config: { value: { task: null } } },
  ],
  edges: [
    { from: "start", to: "count" },
    { from: "count", to: "many" },
    { from: "many", to: "task", when: true },
    { from: "many", to: "quiet", when: false },
    { from: "task", to: "busy" },
  ],
};

/** The end of the patience with a scheduled item that should run at once. */
const PATIENCE_MS = 60_000;

/** The part of the tour that runs Python in four ways. */
export const runFunctions = async ({ play, call, owner, member }: FunctionsTour): Promise<void> => {
  const post = (title: string, path: string, body: unknown, status: number, expected?: z.ZodType) =>
    play({ title, method: "POST", path, body, token: owner, status, ...(expected && { expected }) });
  const idOf = ({ body }: DemoReply): string => record.parse(body).id;

  const code = { name: "Count leads", file_name: "count_leads.py", code: scoring };
  const made = idOf(await post("A function in Python", "/v1/object/function", code, 201));
  const refused = { name: "Curious", file_name: "curious.py", code: curious };
  await post("Code that reaches for the machine is refused, by line and column", "/v1/object/function", refused, 422);
  const run = { function_name: "count_leads.py", inputs: { status: "New" } };
  const succeeded = z.object({ status: z.literal("success") });
  await post("Run it by the API", "/v1/automation/function", run, 200, succeeded);
  await play({
    title: "Marco may not: nobody gave him the right to functions",
    method: "POST",
    path: "/v1/automation/function",
    body: run,
    token: member,
    status: 403,
  });

  const trigger = {
    name: "Tidy leads",
    file_name: "tidy_lead.py",
    object_api_name: "lead",
    events: ["before_create", "before_update"],
    code: tidying,
  };
  const tidy = idOf(await post("Python that runs before a lead is written", "/v1/object/record_trigger", trigger, 201));
  const tidied = z.object({ name: z.literal("Lin Zhao") });
  const lead = idOf(await post("It tidies the name", "/v1/object/lead", { name: "  lin zhao " }, 201, tidied));
  const worthless = { name: "Lin Zhao", amount: -5 };
  await post("… and refuses what makes no sense: nothing is written", "/v1/object/lead", worthless, 422);

  const flow = idOf(await post("An automation: steps, with the function as one", "/v1/object/automation", report, 201));
  const taskMade = z.object({ task: z.string() });
  await post("Run it", `/v1/automation/${flow}`, { inputs: { status: "New" } }, 200, taskMade);

  const soon = new Date(Date.now() + 2_000).toISOString();
  const scheduled = { name: "Count the lost", run_date_time: soon, function: made, data: { status: "Lost" } };
  const due = idOf(await post("The same function in two seconds", "/v1/object/scheduled_item", scheduled, 201));
  const path = `/v1/object/scheduled_item/${due}`;
  const isOver = async (): Promise<boolean> => {
    const { status } = item.parse((await call("GET", path, { token: owner })).body);
    return status !== "Queued" && status !== "Running";
  };
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end && !(await isOver()); ) await setTimeout(200);
  const expected = z.object({ status: z.literal("Completed") });
  await play({ title: "It has run, once", method: "GET", path, token: owner, status: 200, expected });
  const q = "SELECT name, place, status, duration_ms FROM log WHERE kind = 'function' ORDER BY id DESC LIMIT 3";
  const logs = `/v1/query?${new URLSearchParams({ q })}`;
  await play({ title: "The log of all executions", method: "GET", path: logs, token: owner, status: 200 });
  for (const [object, id] of [
    ["record_trigger", tidy],
    ["lead", lead],
  ]) {
    await call("DELETE", `/v1/object/${object}/${id}`, { token: owner });
  }
};
