import { Context, type Emitter, Liquid, Parser, type Template, Tokenizer, toValueSync } from "liquidjs";
import { liquidLimits } from "./job.ts";
import { countLinesOnce } from "./positions.ts";

/** There are no other templates, and hashes are no business of a mail. */
const REFUSED_TAGS = ["include", "render", "layout", "block"];
const REFUSED_FILTERS = ["sha256", "hmac_sha256", "inspect"];

export type Escaping = "html" | "none";

const textOf = (value: unknown): string => {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(textOf).join("");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

/** An output that refuses more than is left of the budget of its job. */
const emitterOf = (budget: { left: number }): Emitter => ({
  buffer: "",
  write(value: unknown) {
    const text = textOf(value);
    budget.left -= text.length;
    if (budget.left < 0) throw new Error("output limit exceeded");
    this.buffer += text;
  },
});

const createEngine = (escaping: Escaping): Liquid => {
  const engine = new Liquid({
    templates: {},
    strictFilters: true,
    ownPropertyOnly: true,
    dynamicPartials: false,
    timezoneOffset: 0,
    locale: "en",
    renderLimit: liquidLimits.render,
    memoryLimit: liquidLimits.memory,
    ...(escaping === "html" && { outputEscape: "escape" as const }),
  });
  for (const tag of REFUSED_TAGS) delete engine.tags[tag];
  for (const filter of REFUSED_FILTERS) engine.unregisterFilter(filter);
  return engine;
};

countLinesOnce();
const engines: Readonly<Record<Escaping, Liquid>> = { html: createEngine("html"), none: createEngine("none") };

export const engineOf = (escaping: Escaping): Liquid => engines[escaping];

/** Raises the library's errors, which have a position. */
export const parse = (engine: Liquid, text: string): Template[] => {
  const tokens = new Tokenizer(text, engine.options.operators).readTopLevelTokens(engine.options);
  // The parser takes the first token again and again, which in a long array moves all others.
  tokens.reverse();
  tokens.shift = tokens.pop;
  return new Parser(engine).parseTokens(tokens);
};

/** Raises the library's errors, which have a position. */
export const render = (
  engine: Liquid,
  templates: Template[],
  data: Readonly<Record<string, unknown>>,
  budget: { left: number },
): string => {
  const context = new Context(data, engine.options, { sync: true }, { liquid: engine });
  const { renderer } = engine;
  const renderTemplates = Object.getPrototypeOf(renderer).renderTemplates.bind(renderer);
  // Blocks that are captured get no emitter.
  renderer.renderTemplates = (blocks, scope, emitter) => renderTemplates(blocks, scope, emitter ?? emitterOf(budget));
  return String(toValueSync(renderer.renderTemplates(templates, context)));
};
