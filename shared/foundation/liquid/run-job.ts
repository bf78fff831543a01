import { LiquidError, type Template } from "liquidjs";
import { engineOf, parse, render } from "./engine.ts";
import { type LiquidAnswer, type LiquidIssue, type LiquidJob, liquidLimits, PARTS, type Part } from "./job.ts";
import { variablesOf } from "./variables.ts";

/** The position that the library adds, which the issue has anyway. */
const withoutPosition = (message: string): string =>
  (message.split("\n", 1)[0] ?? "").replace(/(?:, line:\d+, col:\d+)+$/, "").slice(0, 300);

const sentences: readonly (readonly [RegExp, string])[] = [
  [/^memory alloc limit exceeded/, "The template makes too much text or too long lists."],
  [/^output limit exceeded/, `The result is longer than ${liquidLimits.output} characters.`],
  [/^template render limit exceeded/, "The template takes too long."],
  [
    /^(?:Maximum call stack size exceeded|Invalid string length|Invalid array length)/,
    "The template nests too deeply.",
  ],
];

const issueOf = (error: unknown, part: Part, type: LiquidIssue["type"]): LiquidIssue => {
  const raw = withoutPosition(error instanceof Error ? error.message : String(error));
  const limit = sentences.find(([pattern]) => pattern.test(raw))?.[1];
  const [line = 1, column = 1] = LiquidError.is(error) ? error.token.getPosition() : [];
  return { part, line, column, message: limit ?? raw, type: limit === undefined ? type : "template_limit" };
};

interface Parsed {
  readonly part: Part;
  readonly templates: Template[];
}

const engineFor = (part: Part) => engineOf(part === "html" ? "html" : "none");

const parsePart = (part: Part, text: string): Parsed | LiquidIssue => {
  const most = liquidLimits.template[part];
  if (text.length > most) {
    const message = `A template has at most ${most} characters here; this has ${text.length}.`;
    return { part, line: 1, column: 1, message, type: "template_limit" };
  }
  try {
    return { part, templates: parse(engineFor(part), text) };
  } catch (error) {
    return issueOf(error, part, "invalid_template");
  }
};

/** Parses templates, and renders them if there are data. All issues at once; rendering begins when all parts parse. */
export const runJob = async ({ parts, data }: LiquidJob): Promise<LiquidAnswer> => {
  const results = PARTS.flatMap((part) => {
    const text = parts[part];
    return text === undefined ? [] : [parsePart(part, text)];
  });
  const issues = results.filter((result) => "line" in result);
  if (issues.length > 0 || data === undefined) return { issues };
  const parsed = results.filter((result) => "templates" in result);
  const budget = { left: liquidLimits.output };
  const written: Partial<Record<Part, string>> = {};
  for (const { part, templates } of parsed) {
    try {
      const text = render(engineFor(part), templates, data, budget);
      const styled = part === "html" ? (await import("./inline-styles.ts")).inlineStyles(text) : text;
      // Styles of all elements come on top of what was written.
      budget.left -= styled.length - text.length;
      if (budget.left < 0) throw new Error("output limit exceeded");
      written[part] = styled;
    } catch (error) {
      issues.push(issueOf(error, part, "template_error"));
    }
  }
  if (issues.length > 0) return { issues };
  const used = parsed.map(({ part, templates }) => variablesOf(engineFor(part), templates, part, data));
  return {
    parts: written,
    variables: [...new Set(used.flatMap(({ names }) => names))].sort().slice(0, liquidLimits.reported),
    missing: used.flatMap(({ missing }) => missing).slice(0, liquidLimits.reported),
  };
};
