import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Refusal } from "../refusal.ts";

let found: Promise<string> | undefined;

/** The path of the interpreter for functions in Python. @throws Refusal if there is none, or an old one */
export const pythonInterpreter = (): Promise<string> => (found ??= findInterpreter());

const findInterpreter = async (): Promise<string> => {
  const ask = "import sys; print('%d.%d' % sys.version_info[:2]); print(sys.executable)";
  const lines = await promisify(execFile)("python3", ["-I", "-S", "-c", ask]).then(
    ({ stdout }) => stdout.trim().split("\n"),
    () => undefined,
  );
  if (lines === undefined)
    throw new Refusal("python3 is missing, and tenants' functions need it: install Python 3.11 or later.");
  const [version = "", path = "python3"] = lines;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major === 3 && minor >= 11) return path;
  throw new Refusal(`python3 is version ${version}, and tenants' functions need 3.11 or later: install a later one.`);
};
