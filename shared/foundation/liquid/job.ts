/** What is asked of the thread that renders, and what it answers. Plain data, which is copied between threads. */

export const PARTS = ["subject", "html", "text"] as const;
export type Part = (typeof PARTS)[number];

/** Templates, in Liquid. */
export type Parts = { readonly [P in Part]?: string | undefined };

export interface LiquidJob {
  readonly parts: Parts;
  /** JSON values, which templates read by name. Without data the templates are only parsed. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

export interface LiquidIssue {
  readonly part: Part;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly type: "invalid_template" | "template_error" | "template_limit";
}

/** A value that a template reads and the data do not have. */
export interface Missing {
  readonly name: string;
  readonly part: Part;
  readonly line: number;
  readonly column: number;
}

export interface Rendered {
  readonly parts: Parts;
  /** What the templates read from the data, such as `contact.name`. */
  readonly variables: string[];
  readonly missing: Missing[];
}

export type LiquidAnswer = Rendered | { readonly issues: readonly LiquidIssue[] };

export const liquidLimits = {
  /** Characters of a template. */
  template: { subject: 4_000, html: 512 * 1024, text: 512 * 1024 },
  /** Characters of all that a job writes, with what it captures. */
  output: 2 * 1024 * 1024,
  /** Milliseconds of one part, as the library counts them. */
  render: 2_000,
  /** Milliseconds of a job, then its thread is ended. */
  job: 5_000,
  /** Characters and elements that filters and ranges make. */
  memory: 5_000_000,
  /** MiB of the thread. */
  heap: 128,
  /** Variables and missing values that are reported. */
  reported: 1_000,
} as const;
