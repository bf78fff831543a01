import type { Issue } from "#shared/foundation/faults";
import { type Part, type Parts, templateIssues } from "#shared/foundation/liquid/liquid";
import type { CheckedWrite } from "../check-rules.ts";
import { changedValue } from "./check-code.ts";
import type { DefinitionCheck } from "./definitions.ts";

const changedPart = (write: CheckedWrite, part: Part): string | undefined => {
  const value = changedValue(write, part);
  return typeof value === "string" ? value : undefined;
};

/** New and changed parts must parse. */
export const checkTemplates: DefinitionCheck = async (_target, writes) => {
  const issues: Issue[] = [];
  for (const write of writes) {
    const parts: Parts = {
      subject: changedPart(write, "subject"),
      html: changedPart(write, "html"),
      text: changedPart(write, "text"),
    };
    if (Object.values(parts).every((part) => part === undefined)) continue;
    const found = await templateIssues(parts);
    for (const { part, line, column, message, type } of found) {
      const msg = `Line ${line}, column ${column}: ${message}`;
      issues.push({ loc: [...write.loc, part], msg, type, ctx: { part, line, column } });
    }
    // Each such template ends a thread, and the next one would have to be started.
    if (found.some(({ type }) => type === "template_limit")) return issues;
  }
  return issues;
};
