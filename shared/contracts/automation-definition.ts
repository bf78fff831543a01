import * as z from "zod";

/** Of one automation. */
export const automationLimits = {
  nodes: 200,
  /** Characters of JSON of nodes and edges together. */
  size: 256 * 1024,
  /** Loops within loops. */
  loopDepth: 3,
  /** Items of one loop. */
  items: 500,
  /** Nodes that one run may execute. */
  steps: 1_000,
  /** Expressions of one node. */
  expressions: 100,
  /** Levels of lists and objects in a value. */
  valueDepth: 10,
  /** Of one delay: a year. */
  delaySeconds: 366 * 24 * 60 * 60,
} as const;

/** Names that expressions can write: of nodes and variables. */
const identifier = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, "Expected a letter, then letters, digits and underscores: at most 64 in all.");

/** Any JSON. `{"=": "…"}` in it stands for the value of an expression. */
const value = z.unknown();
const values = z.record(z.string().min(1).max(200), value);
const variables = z.record(identifier, value).optional();

const recordEvent = z.enum(["after_create", "after_update", "after_delete"]);

const trigger = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("manual"), variables }),
  z.strictObject({ kind: z.literal("schedule"), variables }),
  z.strictObject({
    kind: z.literal("record"),
    object: z.string().min(1).max(80),
    events: z.array(recordEvent).min(1).max(3),
    variables,
  }),
]);

const exactlyOne = (...names: readonly string[]) => ({
  check: (config: Readonly<Record<string, unknown>>) => names.filter((name) => config[name] !== undefined).length === 1,
  message: `Expected exactly one of ${names.join(" and ")}.`,
});

const function_ = exactlyOne("function_name", "function_id");
const moment = exactlyOne("seconds", "until");

/** The configuration of a node, by its type. */
export const nodeConfigs = {
  trigger,
  function: z
    .strictObject({
      function_name: z.string().min(1).max(99).optional(),
      function_id: z.string().min(1).max(200).optional(),
      inputs: values.optional(),
    })
    .refine(function_.check, function_.message),
  condition: z.strictObject({ expression: z.string().min(1) }),
  create_record: z.strictObject({ object: z.string().min(1).max(80), values }),
  update_record: z.strictObject({ object: z.string().min(1).max(80), id: value, values }),
  query: z.strictObject({ sql: z.string().min(1).max(20_000), params: z.array(value).max(100).optional() }),
  notify: z.strictObject({
    to: value.optional(),
    title: value,
    body: value,
    url: value.optional(),
    data: values.optional(),
  }),
  send_email: z
    .strictObject({
      to: value,
      cc: value.optional(),
      bcc: value.optional(),
      from_email: value.optional(),
      from_name: value.optional(),
      subject: value.optional(),
      text: value.optional(),
      html: value.optional(),
      reply_to: value.optional(),
      template_id: value.optional(),
      merge_data: values.optional(),
      file_attachments: value.optional(),
      send_at: value.optional(),
      related_to: value.optional(),
      category: value.optional(),
    })
    .refine(
      ({ text, html, template_id }) => text !== undefined || html !== undefined || template_id !== undefined,
      "Expected text, html or a template_id.",
    )
    .refine(({ subject, template_id }) => subject !== undefined || template_id !== undefined, {
      path: ["subject"],
      error: "This value is required.",
    }),
  assign: z.strictObject({ values: z.record(identifier, value) }),
  loop: z.strictObject({ items: value, limit: z.int().min(1).max(automationLimits.items) }),
  delay: z.strictObject({ seconds: value.optional(), until: value.optional() }).refine(moment.check, moment.message),
  return: z.strictObject({ value: value.optional() }),
} as const;

export type NodeType = keyof typeof nodeConfigs;

export type NodeConfig<T extends NodeType> = z.output<(typeof nodeConfigs)[T]>;

/** A node without its configuration, which depends on the type. Flow builders keep their drawing in `position`. */
export const automationNode = z.strictObject({
  id: identifier,
  type: z.string(),
  name: z.string().max(200).optional(),
  description: z.string().max(2_000).optional(),
  config: z.record(z.string(), z.unknown()).default({}),
  position: z.strictObject({ x: z.number(), y: z.number() }).optional(),
});

/** `when` names the way out of its node. Without it, it is the one way on. */
export const automationEdge = z.strictObject({
  id: z.string().max(200).optional(),
  from: z.string().max(64),
  to: z.string().max(64),
  when: z.union([z.boolean(), z.enum(["each", "done", "error"])]).optional(),
});

export type AutomationEdge = z.output<typeof automationEdge>;

export type Way = NonNullable<AutomationEdge["when"]> | "next";
