import { randomBytes } from "node:crypto";
import { databaseClient, type HttpReply, http, type User } from "../../platform.ts";
import { plantedExecution } from "../../setup/planted-execution.ts";

const unique = (): string => randomBytes(5).toString("hex");

/** The code of a function with these lines as its body. */
export const codeOf = (body: string): string =>
  `async def execute(platform, **kwargs):\n${body
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n")}\n`;

type Signed = Pick<User, "token">;

interface FunctionFields {
  readonly file_name?: string;
  readonly timeout_seconds?: number;
  readonly memory_mb?: number;
  readonly active?: boolean;
}

/** Saves a function with this body, and gives its file name. */
export const addFunction = async (
  { token }: Signed,
  body: string,
  { file_name = `f_${unique()}.py`, ...fields }: FunctionFields = {},
): Promise<string> => {
  const record = { name: file_name, file_name, code: codeOf(body), ...fields };
  await http.post("/v1/object/function", { token, body: record, expect: 201 });
  return file_name;
};

/** The begin of a function that goes on when there is a lead of this name, so that a test decides when it ends. */
export const untilLead = (name: string): string =>
  `import asyncio\nwhile not await platform.query.sql("SELECT id FROM lead WHERE name = '${name}'"):\n` +
  "    await asyncio.sleep(0.2)\n";

/** The begin of a function that goes on when it may not read leads any more, or its execution was ended. */
export const UNTIL_REFUSED =
  "import asyncio\nrefused = None\nwhile refused is None:\n    try:\n        await platform.query.sql('SELECT id FROM lead')\n" +
  "        await asyncio.sleep(0.1)\n    except PlatformError as error:\n        refused = error.code\n";

export const addLead = ({ token }: Signed, name: string): Promise<HttpReply> =>
  http.post("/v1/object/lead", { token, body: { name }, expect: 201 });

export const leadsNamed = async ({ token }: Signed, name: string): Promise<number> => {
  const query = `SELECT id FROM lead WHERE name = '${name}'`;
  return (await http.post("/v1/query", { token, body: { query }, expect: 200 })).body.records.length;
};

/** Runs a function. */
export const run = (
  { token }: Signed,
  function_name: string,
  inputs: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<HttpReply> =>
  http.post("/v1/automation/function", { token, body: { function_name, inputs }, headers, expect: 200 });

/** Saves a function with this body, runs it, and gives what it returned. */
export const runBody = async (user: Signed, body: string, inputs: Record<string, unknown> = {}): Promise<unknown> =>
  (await run(user, await addFunction(user, body), inputs)).body;

export const executionOf = ({ headers }: HttpReply): string => headers.get("x-execution-id") ?? "";

/** The `log` record of an execution. */
export const logOf = async ({ token }: Signed, reply: HttpReply) =>
  (await http.get(`/v1/object/log/${executionOf(reply)}`, { token, expect: 200 })).body;

/** A permission record and a member who has it, with these object permissions. */
export const permissionFor = async (
  owner: User,
  object_permissions: Record<string, Record<string, boolean>>,
  object_field_permissions: Record<string, Record<string, Record<string, boolean>>> = {},
): Promise<string> => {
  const body = { name: `P ${unique()}`, object_permissions, object_field_permissions };
  return (await http.post("/v1/object/permission", { token: owner.token, body, expect: 201 })).body.id;
};

export interface Planted {
  readonly id: string;
  /** The capability token. */
  readonly token: string;
}

/**
 * Writes the document of a running execution into the database, as the dispatcher does, because no one else knows a
 * token.
 */
export const plantExecution = async (
  user: Pick<User, "id" | "organizationId" | "email">,
  fields: Record<string, unknown> = {},
): Promise<Planted> => {
  const { organizationId } = user;
  const deadline = new Date(Date.now() + 600_000);
  const leaseUntil = new Date(deadline.getTime() + 5_000);
  const { document, token } = plantedExecution({ organizationId, user, deadline, leaseUntil });
  const client = await databaseClient();
  try {
    const executions = client.db(organizationId).collection<{ _id: string }>("function_execution");
    await executions.insertOne({ ...document, ...fields });
  } finally {
    await client.close();
  }
  return { id: document._id, token };
};

/** A call of running code, as the supervisor sends it. */
export const contextCall = (token: string, method: string, args: unknown[] = [], kwargs: object = {}) =>
  http.post("/v1/internal/context", { token, body: { method, args, kwargs } });
