import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect, inject, onTestFinished } from "vitest";

/** All tests run with and without scripts. */
export const scripting = [
  { scripts: "with scripts", javaScriptEnabled: true },
  { scripts: "without scripts", javaScriptEnabled: false },
] as const;

let connected: Promise<Browser> | undefined;

const browser = (): Promise<Browser> => {
  connected ??= chromium.connect(inject("chromium"));
  return connected;
};

/**
 * Chromium logs every response with a status from 400. Other messages are errors of the page: a policy violation or an
 * exception.
 */
const EXPECTED = /^Failed to load resource: the server responded with a status of 4(?:03|22|29|00) /;

const OURS = /^(?:http:\/\/(?:127\.0\.0\.1|localhost):\d+\/|data:|about:|chrome-error:)/;

/** What no page may do: request another host, violate its own policy, raise an error. */
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
  /** Messages that are expected of a foreign page. */
  readonly expected?: RegExp;
}

/** A new browser profile. When the test ends, it must have had no errors. */
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
