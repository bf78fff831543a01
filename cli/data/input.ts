import { readFile } from "node:fs/promises";
import { Failure } from "../failure.ts";

export interface Source {
  readonly text: string;
  /** The source, for messages: a path or a description. */
  readonly name: string;
}

const readStdin = async (): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
};

/** The argument, else the file, else the pipe; `-` means the pipe. Undefined if there is no input. */
export const readSource = async (
  argument: string | undefined,
  file: string | undefined,
): Promise<Source | undefined> => {
  if (argument !== undefined && file !== undefined) {
    throw new Failure("usage", "Give the data as an argument or as a file, not both.");
  }
  if (argument !== undefined && argument !== "-") return { text: argument, name: "the argument" };
  if (file !== undefined && file !== "-") {
    try {
      return { text: withoutMark(await readFile(file, "utf8")), name: file };
    } catch (error) {
      const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
      throw new Failure("usage", missing ? `There is no file ${file}.` : `The file ${file} cannot be read.`);
    }
  }
  const asked = argument === "-" || file === "-";
  if (process.stdin.isTTY && !asked) return undefined;
  const text = withoutMark(await readStdin());
  return text.trim() === "" && !asked ? undefined : { text, name: "standard input" };
};

/** Spreadsheets write a byte order mark at the start of CSV files. */
const withoutMark = (text: string): string => text.replace(/^\ufeff/, "");
