import type * as z from "zod";
import type { ContextCall } from "#contracts/runner";
import { Fault, type Issue, refuseIfAny } from "#shared/foundation/faults";

const refused = (loc: Issue["loc"], type: string, msg: string): Fault =>
  new Fault("validation_failed", { issues: [{ loc, msg, type }] });

/** The arguments by their names, as Python binds them. Raises `validation_failed`. */
export const namedArguments = (
  { method, args, kwargs }: ContextCall,
  names: readonly string[],
): Record<string, unknown> => {
  if (args.length > names.length) {
    const msg = `${method}() takes ${names.length} positional arguments but ${args.length} were given.`;
    throw refused(["body", "args", names.length], "too_many_arguments", msg);
  }
  const named: Record<string, unknown> = Object.fromEntries(args.map((value, index) => [names[index], value]));
  for (const [name, value] of Object.entries(kwargs)) {
    const loc = ["body", name];
    if (!names.includes(name)) throw refused(loc, "extra_forbidden", `${method}() has no argument "${name}".`);
    if (Object.hasOwn(named, name)) {
      throw refused(loc, "duplicate", `${method}() got two values for the argument "${name}".`);
    }
    named[name] = value;
  }
  return named;
};

/**
 * Parses a value by a contract. The path of an issue begins with `body`, then the parts of `at`. Raises
 * `validation_failed`.
 */
export const parsedAs = <S extends z.ZodType>(
  schema: S,
  value: unknown,
  at: readonly (string | number)[] = [],
): z.output<S> => {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  refuseIfAny(
    parsed.error.issues.map(({ path, message, code, input }) => ({
      loc: ["body", ...at, ...path.map((part) => (typeof part === "number" ? part : String(part)))],
      msg: code === "invalid_type" && input === undefined ? "This value is required." : message,
      type: code === "invalid_type" && input === undefined ? "missing" : code,
    })),
  );
  throw new Error("A value was refused without an issue.");
};
