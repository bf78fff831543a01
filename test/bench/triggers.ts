import { httpClient } from "../setup/http-client.ts";
import type { LaunchedPlatform } from "../setup/launch-platform.ts";
import { median, timedPost } from "./measure.ts";
import { line } from "./print.ts";

const ROUNDS = 120;
const BATCHES = 15;
const BATCH = 200;

const body = (lines: string): string => `async def execute(context):\n${lines}\n`;

/** Object → its trigger. A lead has none. */
const triggers: Readonly<Record<string, { readonly event: string; readonly code: string; readonly mode?: string }>> = {
  contact: {
    event: "before_create",
    code: body("    for r in context.new_map.values():\n        r['name'] = r['name'].upper()"),
  },
  company: {
    event: "after_create",
    code: body("    await context.records.create('task', [{'name': r['name']} for r in context.new_map.values()])"),
  },
  question: { event: "after_create", code: body("    pass"), mode: "async" },
};

const what: Readonly<Record<string, string>> = {
  contact: "with a before_create trigger",
  company: "with an after_create trigger that writes",
  question: "with an async trigger",
};

const p99 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN;

/** A create with a trigger against one without, one after another, each kind in its turn. */
export const benchTriggers = async ({ url }: LaunchedPlatform["access"]): Promise<void> => {
  const http = httpClient(url);
  const { body: registered } = await http.post("/v1/register", {
    body: {
      organization_name: "Triggers",
      email: "triggers@example.test",
      password: "correct horse battery staple",
    },
    expect: 201,
  });
  const token: string = registered.access_token;
  for (const [object, { event, code, mode = "sync" }] of Object.entries(triggers)) {
    const fields = { name: object, file_name: `${object}.py`, code, object_api_name: object, events: [event], mode };
    await http.post("/v1/object/record_trigger", { token, body: fields, expect: 201 });
  }
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const create = async (object: string, records: unknown): Promise<number> =>
    (await timedPost({ url: `${url}/v1/object/${object}`, headers }, JSON.stringify(records), 201)).milliseconds;
  const objects = ["lead", ...Object.keys(triggers)];

  const measure = async (rounds: number, records: unknown): Promise<Map<string, number[]>> => {
    const times = new Map(objects.map((object) => [object, [] as number[]]));
    for (let round = -10; round < rounds; round += 1) {
      for (const object of objects) {
        const milliseconds = await create(object, records);
        if (round >= 0) times.get(object)?.push(milliseconds);
      }
    }
    return times;
  };

  const print = (times: Map<string, number[]>, noun: string): void => {
    const plain = times.get("lead") ?? [];
    line(`${noun} without a trigger`, `${median(plain).toFixed(1)} ms`, `p99 ${p99(plain).toFixed(1)} ms`);
    for (const [object, name] of Object.entries(what)) {
      const own = times.get(object) ?? [];
      const factor = (median(own) / median(plain)).toFixed(1);
      line(`${noun} ${name}`, `${factor} ×`, `${median(own).toFixed(1)} ms, p99 ${p99(own).toFixed(1)} ms`);
    }
  };

  print(await measure(ROUNDS, { name: "Ada" }), "create");
  const batch = Array.from({ length: BATCH }, (_, index) => ({ name: `${index}` }));
  print(await measure(BATCHES, batch), `create of ${BATCH}`);
};
