import { createHash } from "node:crypto";
import {
  docsAssetPath,
  REFERENCE_CLIENT_ID,
  REFERENCE_SIGNED_IN_PATH,
  referenceScript,
} from "#contracts/reference-script";
import { html, icon, verbatim } from "#shared/foundation/html/html";
import type { OpenapiDocument } from "./document.ts";

/** An HTML page and its content security policy. */
export interface ReferencePage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/**
 * https://github.com/scalar/scalar/blob/main/documentation/configuration.md Everything that calls another service is
 * disabled: telemetry, the assistant, hosted fonts, the hosted client.
 */
const configurationOf = (document: OpenapiDocument) => {
  const server = document.servers[0]?.url ?? "";
  return {
    url: "openapi.json",
    theme: "default",
    layout: "modern",
    telemetry: false,
    withDefaultFonts: false,
    hideClientButton: true,
    showDeveloperTools: "never",
    agent: { disabled: true, hideAddApi: true },
    mcp: { disabled: true },
    persistAuth: false,
    documentDownloadType: "json",
    defaultOpenAllTags: false,
    oauth2RedirectUri: `${server}${REFERENCE_SIGNED_IN_PATH}`,
    authentication: {
      preferredSecurityScheme: "oauth2",
      securitySchemes: {
        oauth2: {
          flows: {
            authorizationCode: {
              "x-scalar-client-id": REFERENCE_CLIENT_ID,
              "x-scalar-credentials-location": "body",
              "x-scalar-redirect-uri": `${server}${REFERENCE_SIGNED_IN_PATH}`,
              selectedScopes: ["read", "write"],
            },
          },
        },
      },
    },
  };
};

const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Scalar sets style sheets and style attributes by script, so styles cannot be limited to hashes. */
const policyOf = (script: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' ${hash(script)}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/**
 * The API reference by `@scalar/api-reference`: search, code samples, and requests that can be tried in the page. The
 * platform serves everything that the page loads.
 */
export const referencePage = (document: OpenapiDocument): ReferencePage => {
  const { title, version, summary } = document.info;
  const configuration = JSON.stringify(configurationOf(document)).replaceAll("<", "\\u003c");
  const script = `Scalar.createApiReference("#reference", ${configuration});`;
  const { markup } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="description" content="${summary}">
<title>${title} API reference</title><link rel="icon" href="${icon}"></head>
<body><div id="reference"></div>
<noscript><h1>${title} API ${version}</h1><p>This page needs JavaScript. The same reference as an OpenAPI 3.1 document:
<a href="openapi.json">openapi.json</a>.</p></noscript>
<script src="${docsAssetPath(referenceScript.name).slice(1)}"></script><script>${verbatim(script)}</script></body></html>
`;
  return { html: markup, contentSecurityPolicy: policyOf(script) };
};
