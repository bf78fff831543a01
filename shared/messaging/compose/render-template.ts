import { type Issue, refuseIfAny } from "#shared/foundation/faults";
import { type LiquidIssue, type Missing, type Part, type Parts, renderLiquid } from "#shared/foundation/liquid/liquid";
import { textOf } from "#shared/foundation/text-of";
import { htmlToText } from "../html/html.ts";

export interface RenderedTemplate {
  /** One line. */
  readonly subject: string;
  /** Styles are in its elements. Empty without a template for it. */
  readonly html: string;
  /** Made from the HTML without a template for it. */
  readonly text: string;
  readonly variables: string[];
  readonly missing: Missing[];
}

/** The parts of a `template` record. An empty one is as good as none. */
export const templateParts = (template: Readonly<Record<Part, unknown>>): Parts => ({
  subject: textOf(template.subject),
  html: textOf(template.html),
  text: textOf(template.text),
});

interface RenderOptions {
  /** Where the caller's request names a part; by default in its body. */
  readonly locOf?: (part: Part) => Issue["loc"];
}

/** RFC 5322 §2.1.1: the most characters of a line. */
const LONGEST_SUBJECT = 998;

/** Of a text that is made from HTML: as long as the HTML may be. Indentation can make it longer. */
const LONGEST_TEXT = 2_097_152;

const oneLine = (text: string): string => {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return line.length <= LONGEST_SUBJECT ? line : line.slice(0, LONGEST_SUBJECT).toWellFormed();
};

const issueOf =
  (locOf: (part: Part) => Issue["loc"]) =>
  ({ part, line, column, message, type }: LiquidIssue): Issue => ({
    loc: locOf(part),
    msg: `Line ${line}, column ${column}: ${message}`,
    type,
    ctx: { part, line, column },
  });

/**
 * Renders the parts of a template, in Liquid, with JSON values. Output is escaped in the HTML and nowhere else. Raises
 * `validation_failed`, with line and column, for parts that do not parse, cannot be rendered or reach a limit.
 */
export const renderTemplate = async (
  parts: Parts,
  data: Readonly<Record<string, unknown>>,
  { locOf = (part) => ["body", part] }: RenderOptions = {},
): Promise<RenderedTemplate> => {
  const rendered = await renderLiquid(parts, data);
  if ("issues" in rendered) {
    refuseIfAny(rendered.issues.map(issueOf(locOf)));
    throw new Error("The templates have neither issues nor a result.");
  }
  const { subject = "", html = "", text } = rendered.parts;
  return {
    subject: oneLine(subject),
    html,
    text: text ?? (html === "" ? "" : (await htmlToText(html, { max_length: LONGEST_TEXT })).text),
    variables: rendered.variables,
    missing: rendered.missing,
  };
};
