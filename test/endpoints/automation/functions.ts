import { randomBytes } from "node:crypto";
import { type HttpReply, http, type User } from "../../platform.ts";

const unique = (): string => randomBytes(5).toString("hex");

/** The code of a function with these lines as its body. */
export const codeOf = (body: string): string =>
  `async def execute(platform, **kwargs):\n${body
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n")}\n`;

interface FunctionFields {
  readonly file_name?: string;
  readonly timeout_seconds?: number;
  readonly memory_mb?: number;
  readonly active?: boolean;
}

/** Saves a function with this body, and gives its file name. */
export const addFunction = async (
  { token }: Pick<User, "token">,
  body: string,
  { file_name = `f_${unique()}.py`, ...fields }: FunctionFields = {},
): Promise<string> => {
  const record = { name: file_name, file_name, code: codeOf(body), ...fields };
  await http.post("/v1/object/function", { token, body: record, expect: 201 });
  return file_name;
};

/** Runs a function. */
export const run = (
  { token }: Pick<User, "token">,
  function_name: string,
  inputs: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<HttpReply> =>
  http.post("/v1/automation/function", { token, body: { function_name, inputs }, headers, expect: 200 });
