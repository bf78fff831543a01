import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect, inject, onTestFinished } from "vitest";

/** Everything must work both ways. */
export const scripting = [
  { scripts: "with scripts", javaScriptEnabled: true },
  { scripts: "without scripts", javaScriptEnabled: false },
] as const;

let connected: Promise<Browser> | undefined;

const browser = (): Promise<Browser> => {
  connected ??= chromium.connect(inject("chromium"));
  return connected;
};

/** Chromium tells of every answer from 400 on; what else it warns of is a mistake of ours: a breach of the policy, an error. */
const EXPECTED = /^Failed to load resource: the server responded with a status of 4(?:03|22|29|00) /;

const OURS = /^(?:http:\/\/(?:127\.0\.0\.1|localhost):\d+\/|data:|about:|chrome-error:)/;

/** What no page may do: ask another machine for something, break its own policy, raise an error. */
const complaintsOf = (context: BrowserContext): string[] => {
  const complaints: string[] = [];
  context.on("request", (request) => {
    if (!OURS.test(request.url())) complaints.push(`asked for ${request.url()}`);
  });
  context.on("console", (message) => {
    if (/error|warning/.test(message.type()) && !EXPECTED.test(message.text())) complaints.push(message.text());
  });
  context.on("weberror", (error) => complaints.push(error.error().message));
  return complaints;
};

export interface WindowOptions extends BrowserContextOptions {
  /** What the browser may complain of: a page of somebody else's that tries something. */
  readonly expected?: RegExp;
}

/** A browser of a person's own: nobody has used it before. When the test ends, nothing may have gone wrong in it. */
export const openWindow = async ({ expected, ...options }: WindowOptions = {}): Promise<Page> => {
  const context = await (await browser()).newContext({ viewport: { width: 900, height: 800 }, ...options });
  context.setDefaultTimeout(120_000);
  const complaints = complaintsOf(context);
  onTestFinished(async () => {
    await context.close();
    expect(complaints.filter((one) => expected?.test(one) !== true)).toEqual([]);
  });
  return context.newPage();
};
