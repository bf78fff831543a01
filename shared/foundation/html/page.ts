import { createHash } from "node:crypto";
import { html, type Markup, verbatim } from "./markup.ts";
import { style } from "./page-style.ts";
import { icon } from "./palette.ts";

/** The characters that a policy may contain in a host. Others, such as `;` or `*`, would end or widen the directive. */
const HOST = /^[A-Za-z0-9.:[\]-]+$/;

/**
 * The CSP source that allows a form's redirect to a URL (https://www.w3.org/TR/CSP3/#grammardef-source-list); undefined
 * for a URL that cannot be named in a policy. It is built from the parsed host, because `URL.origin` keeps `;` and
 * decodes `%2A`.
 */
const formSource = (address: string): string | undefined => {
  const { protocol, hostname, host } = new URL(address);
  // The scheme alone: an app's own scheme has no host, and CSP has no syntax for an IPv6 loopback address.
  if (protocol !== "https:" && (protocol !== "http:" || hostname === "[::1]")) return protocol;
  return HOST.test(host) ? `${protocol}//${host}` : undefined;
};

/** A page and its headers. */
export interface Page {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PageContent {
  /** The window's title, without the platform's name. */
  readonly title: string;
  readonly content: Markup;
  /** Addresses besides the platform itself that its forms may lead to, redirects included. */
  readonly formTargets?: readonly string[];
  /** The page's only script. The page works without it. */
  readonly script?: string;
}

const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const styleHash = hash(style);

/** https://www.w3.org/TR/CSP3/ */
const policyOf = ({ formTargets = [], script }: PageContent): string =>
  [
    "default-src 'none'",
    `style-src ${styleHash}`,
    ...(script === undefined ? [] : [`script-src ${hash(script)}`, "connect-src 'self'"]),
    "img-src data:",
    `form-action ${["'self'", ...formTargets.map(formSource).filter((source) => source !== undefined)].join(" ")}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const headersOf = (content: PageContent): Record<string, string> => ({
  "cache-control": "no-store",
  "content-security-policy": policyOf(content),
  // With `no-referrer` the browser would send a form's origin as `null`.
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
});

/** A small page for people, in one column, without external assets. */
export const pageOf = (parts: PageContent): Page => {
  const { title, content, script } = parts;
  const { markup } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">
<title>${title} · Tenantry</title><link rel="icon" href="${icon}"><style>${verbatim(style)}</style></head>
<body><header><p class="brand">Tenantry</p></header>
<main>${content}</main>${script === undefined ? undefined : html`<script>${verbatim(script)}</script>`}</body></html>
`;
  return { html: markup, headers: headersOf(parts) };
};
