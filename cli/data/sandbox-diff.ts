import type * as z from "zod";
import type { sandboxDiff, sandboxPush } from "#contracts/sandbox-bodies";
import { plain } from "../terminal/text.ts";

export type SandboxDiff = z.output<typeof sandboxDiff>;

export type SandboxPush = z.output<typeof sandboxPush>;

/** The differences by kind, a line each: `+` only in the sandbox, `~` other values, `-` only in the parent. */
export const diffLines = ({ kinds }: SandboxDiff): string[] =>
  Object.entries(kinds).flatMap(([kind, { added, changed, removed, truncated }]) => [
    kind,
    ...added.map(({ name }) => `  + ${plain(name)}`),
    ...changed.map(({ name, fields }) => `  ~ ${plain(name)}: ${fields.map(plain).join(", ")}`),
    ...removed.map(({ name }) => `  - ${plain(name)}`),
    ...(truncated ? ["  … and more"] : []),
  ]);

/** What a deployment did, by kind. */
export const pushLines = ({ kinds }: SandboxPush): string[] =>
  Object.entries(kinds).map(
    ([kind, { created, updated, unchanged }]) =>
      `${kind}: ${created} created, ${updated} updated, ${unchanged} unchanged`,
  );
