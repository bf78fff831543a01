import * as z from "zod";

const HOST = /^[a-z0-9.:[\]_-]+$/;

/** What is wrong with an origin that no browser sends, or undefined. */
const problemOf = (text: string): string | undefined => {
  const expected = "expected an origin as browsers send it, such as https://app.example.com";
  if (!URL.canParse(text)) return expected;
  const { protocol, host, origin } = new URL(text);
  if ((protocol !== "https:" && protocol !== "http:") || !HOST.test(host)) return expected;
  return origin === text ? undefined : `no browser sends ${text} as an origin; write ${origin}`;
};

/**
 * The exact origin of a web page, because API Gateway compares text: without path or trailing slash, in lower case,
 * without a default port, with the host in Punycode.
 */
export const allowedOrigin = z.string().superRefine((text, context) => {
  const message = problemOf(text);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});
