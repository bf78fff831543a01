import { http, type User } from "../../platform.ts";

type Holder = Pick<User, "token">;

interface TriggerFields {
  readonly events: readonly string[];
  readonly object?: string;
  readonly mode?: "sync" | "async";
  readonly order?: number;
  readonly active?: boolean;
}

/** Saves a trigger of leads with this body, and gives its id. `file_name` without its end. */
export const addTrigger = async (
  { token }: Holder,
  name: string,
  body: string,
  { events, object = "lead", ...fields }: TriggerFields,
): Promise<string> => {
  const lines = body.split("\n").map((line) => `    ${line}`);
  const code = `async def execute(context):\n${lines.join("\n")}\n`;
  const record = { name, file_name: `${name}.py`, code, object_api_name: object, events, ...fields };
  const reply = await http.post("/v1/object/record_trigger", { token, body: record, expect: 201 });
  return reply.body.id;
};

/** Records of an object in the order of their creation. */
export const recordsOf = async ({ token }: Holder, object: string): Promise<Record<string, unknown>[]> => {
  const reply = await http.get(`/v1/object/${object}?limit=1000&order_by=created_date`, { token, expect: 200 });
  return reply.body;
};

/** The log records of triggers, oldest first. */
export const triggerLogs = async (holder: Holder): Promise<Record<string, unknown>[]> =>
  (await recordsOf(holder, "log")).filter(({ kind }) => kind === "trigger");
