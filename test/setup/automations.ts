import { type HttpReply, http, type User } from "../platform.ts";
import type { HttpOptions } from "./http-client.ts";

/** Nodes and edges of an automation. */
export interface Drawing {
  readonly nodes: readonly Record<string, unknown>[];
  readonly edges: readonly Record<string, unknown>[];
}

type Config = Record<string, unknown>;

export const node = (id: string, type: string, config: Config = {}): Record<string, unknown> => ({ id, type, config });

/** A trigger, these nodes one after the other, and a return of this value. */
export const inRow = (
  nodes: readonly Record<string, unknown>[],
  value?: unknown,
  trigger: Config = { kind: "manual" },
) => {
  const all = [
    node("start", "trigger", trigger),
    ...nodes,
    node("end", "return", value === undefined ? {} : { value }),
  ];
  const edges = all.slice(1).map(({ id }, index) => ({ from: all[index]?.id, to: id }));
  return { nodes: all, edges };
};

export const expr = (text: string) => ({ "=": text });

let count = 0;

/** Saves an active automation, and gives its id. */
export const saveAutomation = async (admin: User, drawing: Drawing, fields: Config = {}): Promise<string> => {
  count += 1;
  const record = { name: `Automation ${count}`, active: true, ...drawing, ...fields };
  const { body } = await http.post("/v1/object/automation", { token: admin.token, body: record, expect: 201 });
  return body.id;
};

export const run = (
  user: Pick<User, "token">,
  automation: string,
  inputs?: Config,
  options: Partial<Pick<HttpOptions, "expect" | "headers">> = { expect: 200 },
): Promise<HttpReply> =>
  http.post(`/v1/automation/${automation}`, {
    token: user.token,
    ...(inputs && { body: { inputs } }),
    ...options,
  });

/** How the run of a reply went. */
export const executionOf = async (user: Pick<User, "token">, reply: HttpReply) => {
  const id = reply.headers.get("x-execution-id");
  return (await http.get(`/v1/automation/executions/${id}`, { token: user.token, expect: 200 })).body;
};
