import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Mail {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const parse = (content: string): Mail => {
  const [head = "", ...body] = content.split("\r\n\r\n");
  const headers = head.split("\r\n").map((line) => {
    const [name = "", ...value] = line.split(": ");
    return [name.toLowerCase(), value.join(": ")] as const;
  });
  return { headers: Object.fromEntries(headers), text: body.join("\r\n\r\n").replaceAll("\r\n", "\n") };
};

export const readMails = (directory: string, email: string): Mail[] => {
  const names = existsSync(directory) ? readdirSync(directory).sort() : [];
  return names
    .filter((name) => name.endsWith(`-${email}.eml`))
    .map((name) => parse(readFileSync(join(directory, name), "utf8")));
};
