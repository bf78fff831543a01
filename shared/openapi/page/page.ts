import { createHash } from "node:crypto";
import { html, icon, type Markup, verbatim } from "../../html/html.ts";
import type { OpenapiDocument } from "../document.ts";
import type { Route } from "./curl.ts";
import { operationView } from "./operation-view.ts";
import { phrase, prose } from "./prose.ts";
import { componentView, schemaAnchor } from "./schema-view.ts";
import { script } from "./script.ts";
import { style } from "./style.ts";

/** A whole HTML page and the policy that it is to be served with; the two belong together. */
export interface ReferencePage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

interface Chapter {
  readonly name: string;
  readonly description: string;
  readonly anchor: string;
  readonly routes: readonly Route[];
}

const chapters = (document: OpenapiDocument): Chapter[] => {
  const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  );
  return document.tags.map(({ name, description }) => ({
    name,
    description,
    anchor: `area-${name.toLowerCase()}`,
    routes: routes.filter(({ operation }) => operation.tags.includes(name)),
  }));
};

const link = ({ method, operation }: Route): Markup =>
  html`<li><a href="#${operation.operationId}"><span>${operation.summary}</span> <span class="verb ${method}">${method.toUpperCase()}</span></a></li>`;

const navigation = (parts: readonly Chapter[]): Markup => html`<nav aria-label="Routes by area"><ul>
<li><a class="area" href="#introduction">Introduction</a></li>
${parts.map(({ name, anchor, routes }) => html`<li><a class="area" href="#${anchor}">${name}</a><ul>${routes.map(link)}</ul></li>`)}
<li><a class="area" href="#schemas">Schemas</a></li></ul></nav>`;

const chapterView = (document: OpenapiDocument, { name, description, anchor, routes }: Chapter): Markup =>
  html`<section class="chapter" id="${anchor}" aria-labelledby="${anchor}-title"><header><h2 id="${anchor}-title">${name}</h2><p>${phrase(
    description,
  )}</p></header>${routes.map((route) => operationView(document, route))}</section>`;

const schemasView = (document: OpenapiDocument): Markup =>
  html`<section class="chapter" id="schemas" aria-labelledby="schemas-title"><header><h2 id="schemas-title">Schemas</h2><p>The named shapes that requests and replies are made of.</p></header>${Object.entries(
    document.components.schemas,
  ).map(
    ([name, schema]) =>
      html`<section class="schema" id="${schemaAnchor(name)}"><h3><a href="#${schemaAnchor(name)}">${name}</a></h3>${componentView(schema)}</section>`,
  )}</section>`;

const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src ${hash(style)}`,
  `script-src ${hash(script)}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The API reference as one page that needs nothing else: no other file, no script. */
export const referencePage = (document: OpenapiDocument): ReferencePage => {
  const parts = chapters(document);
  const { title, version, summary, description, license } = document.info;
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="description" content="${summary}">
<title>${title} API reference</title><link rel="icon" href="${icon}"><style>${verbatim(style)}</style></head>
<body><a class="skip" href="#main">Skip to the reference</a>
<header class="masthead"><p class="brand"><a href="#introduction">${title}</a></p><p class="edition">API reference · ${version}</p><p class="machine"><a href="openapi.json">openapi.json</a></p></header>
${navigation(parts)}
<main id="main" tabindex="-1"><section class="introduction" id="introduction" aria-labelledby="title"><h1 id="title">${title} API</h1><p class="lead">${summary}</p>
<p class="server"><span>Base address</span> <code>${document.servers[0]?.url}</code></p>${prose(description)}</section>
${parts.map((part) => chapterView(document, part))}
${schemasView(document)}
<footer><p>${title} ${version} · ${license.name}</p></footer></main><script>${verbatim(script)}</script></body></html>
`;
  return { html: page.markup, contentSecurityPolicy };
};
