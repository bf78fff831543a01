import { MongoFault } from "../foundation/fault.ts";
import type { Doc } from "../values/document.ts";
import type { Value } from "../values/types.ts";
import { catalogArguments } from "./catalog.ts";
import { type Check, checkFields, type Fields, required } from "./fields.ts";
import { generic } from "./generic.ts";
import { readArguments } from "./reads.ts";
import { serverArguments } from "./server.ts";
import { anything, collection } from "./types.ts";
import { writeArguments } from "./writes.ts";

const { findAndModify, ...writes } = writeArguments;

/**
 * The arguments of every command. In those that are "open" MongoDB ignores unknown arguments: they name parameters and
 * sections, or answer clients of any version.
 */
export const commandArguments = {
  ...readArguments,
  ...writes,
  ...catalogArguments,
  ...serverArguments,
  findAndModify: { findAndModify: required(collection), ...findAndModify },
  findandmodify: { findandmodify: required(collection), ...findAndModify },
  buildInfo: "open",
  buildinfo: "open",
  getLog: "open",
  getParameter: "open",
  hello: "open",
  hostInfo: "open",
  isMaster: "open",
  ismaster: "open",
  ping: "open",
  serverStatus: "open",
  whatsmyuri: "open",
} as const satisfies Readonly<Record<string, Fields | "open">>;

export type CommandName = keyof typeof commandArguments;

const known: Readonly<Record<string, Fields | "open">> = commandArguments;

/** Checks all arguments of a command before it runs. */
export function checkArguments(command: Doc): void {
  const name = command.keys[0] ?? "";
  const fields = Object.hasOwn(known, name) ? known[name] : undefined;
  if (fields === undefined) throw new MongoFault("CommandNotFound", `no such command: '${name}'`);
  if (fields === "open") checkGeneric(command, name);
  else checkFields(command, fields, name, generic);
}

function checkGeneric(command: Doc, name: string): void {
  command.keys.forEach((key, i) => {
    const value = command.values[i] as Value;
    const check: Check = i > 0 && Object.hasOwn(generic, key) ? (generic[key] as Check) : anything;
    if (value !== null) check(value, `${name}.${key}`);
  });
}
