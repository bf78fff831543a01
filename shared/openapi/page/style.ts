import { palette } from "../../html/html.ts";

/** The page's style sheet. */
export const style = `${palette}
*, ::before, ::after { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 var(--sans);
  display: grid; grid-template: auto 1fr / 17.5rem minmax(0, 1fr);
}
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.18em; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
code, pre { font-family: var(--mono); font-size: 0.86em; }
p code, td code { background: var(--panel); border-radius: 4px; padding: 0.1em 0.35em; overflow-wrap: anywhere; }
p { margin: 0.6rem 0; max-width: 68ch; }
ul { list-style: none; margin: 0; padding: 0; }
.points { margin: 0.6rem 0; padding-left: 1.1rem; list-style: disc; max-width: 68ch; }
.points li { margin: 0.35rem 0; padding-left: 0.15rem; }
.points code { background: var(--panel); border-radius: 4px; padding: 0.1em 0.35em; overflow-wrap: anywhere; }
.block { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 0.7rem 0.9rem; margin: 0.8rem 0; }
.hidden, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip:focus { position: fixed; z-index: 3; top: 0.6rem; left: 0.6rem; padding: 0.5rem 1rem; background: var(--ink); color: var(--paper); }

.masthead {
  grid-column: 1 / -1; position: sticky; top: 0; z-index: 2; display: flex; align-items: baseline; gap: 0.75rem;
  padding: 0.8rem 1.75rem; background: var(--paper); border-bottom: 1px solid var(--line);
}
.masthead p { margin: 0; }
.brand a { font: 600 1.3rem/1.2 var(--serif); color: var(--ink); text-decoration: none; letter-spacing: -0.01em; }
.edition { color: var(--soft); font-size: 0.9rem; }
.machine { margin-left: auto !important; font: 0.85rem var(--mono); }

nav { position: sticky; top: 3.4rem; max-height: calc(100vh - 3.4rem); overflow-y: auto; padding: 1.5rem 0.75rem 3rem 1.75rem; align-self: start; font-size: 0.9rem; line-height: 1.35; }
nav .area { display: block; padding: 0.25rem 0.6rem; color: var(--ink); font-weight: 600; text-decoration: none; }
nav > ul > li { margin-bottom: 0.9rem; }
nav ul ul a { display: flex; gap: 0.5rem; justify-content: space-between; align-items: baseline; padding: 0.28rem 0.6rem; border-radius: 6px; color: var(--soft); text-decoration: none; }
nav a:hover { background: var(--panel); color: var(--ink); border-radius: 6px; }
.verb { font: 600 0.66rem/1 var(--mono); letter-spacing: 0.03em; }

main { padding: 2.5rem clamp(1.25rem, 4vw, 4rem) 4rem; max-width: 88rem; }
h1, h2, h3 { font-family: var(--serif); font-weight: 600; line-height: 1.2; letter-spacing: -0.012em; text-wrap: balance; margin: 0; }
h1 { font-size: clamp(2.2rem, 1.6rem + 2.4vw, 3.3rem); }
h2 { font-size: clamp(1.7rem, 1.4rem + 1vw, 2.2rem); }
h3 { font-size: 1.4rem; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
h4 { margin: 1.7rem 0 0.4rem; font: 600 0.8rem/1.4 var(--sans); letter-spacing: 0.06em; text-transform: uppercase; color: var(--soft); }
.lead { font: 1.25rem/1.5 var(--serif); color: var(--soft); margin: 0.5rem 0 1.25rem; }
.server { display: inline-flex; flex-wrap: wrap; gap: 0.25rem 0.9rem; align-items: baseline; padding: 0.55rem 0.9rem; margin: 0 0 1rem; border: 1px solid var(--line); border-radius: 8px; }
.server span { color: var(--soft); font-size: 0.85rem; }
.server code { background: none; padding: 0; }
.introduction p { max-width: 72ch; }
.chapter { margin-top: 4.5rem; }
.chapter > header { padding-bottom: 1rem; border-bottom: 2px solid var(--ink); }
.chapter > header p { color: var(--soft); margin: 0.4rem 0 0; font-size: 1.05rem; }
.operation { padding: 2.5rem 0; border-bottom: 1px solid var(--line); }
.operation:last-child { border-bottom: 0; }
.route { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 0.7rem; margin: 0.6rem 0 0; max-width: none; }
.route > code { background: none; padding: 0; font-size: 0.95rem; overflow-wrap: anywhere; }
.route em { font-style: normal; color: var(--accent); }
.method, .access { font: 600 0.74rem/1 var(--mono); padding: 0.36rem 0.5rem; border-radius: 5px; letter-spacing: 0.02em; }
.access { font: 500 0.78rem/1 var(--sans); letter-spacing: 0; border: 1px solid var(--line); border-radius: 99px; padding: 0.34rem 0.65rem; color: var(--soft); }
.access.admin { color: var(--amber); border-color: currentColor; }
.access.superuser { color: var(--red); border-color: currentColor; }
.get { color: var(--green); } .post { color: var(--blue); } .patch { color: var(--amber); } .put { color: var(--violet); } .delete { color: var(--red); }
.method.get { background: var(--green-paper); } .method.post { background: var(--blue-paper); } .method.patch { background: var(--amber-paper); }
.method.put { background: var(--violet-paper); } .method.delete { background: var(--red-paper); }
.columns { display: grid; grid-template-columns: minmax(0, 1.1fr) minmax(0, 1fr); gap: 2.5rem; margin-top: 0.9rem; }
.examples { position: sticky; top: 4.5rem; align-self: start; display: grid; gap: 1rem; }

.entries { border-top: 1px solid var(--line); margin-top: 0.5rem; }
.entries > li { padding: 0.65rem 0; border-bottom: 1px solid var(--line); }
.entries .entries { margin: 0.6rem 0 0; padding-left: 1rem; border-left: 2px solid var(--line); border-top: 0; }
.entries .entries > li:last-child { border-bottom: 0; padding-bottom: 0.2rem; }
.entry { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.15rem 0.6rem; }
.name { font-weight: 600; font-size: 0.9rem; overflow-wrap: anywhere; }
.type { color: var(--soft); font-size: 0.86rem; }
p.type { margin: 0.3rem 0; }
.required { color: var(--red); font-size: 0.78rem; }
.entries p { margin: 0.2rem 0 0; font-size: 0.93rem; }
.facts, .aside { color: var(--soft); font-size: 0.86rem; }
.entries .facts { font-size: 0.84rem; }
h4 .aside { text-transform: none; letter-spacing: 0; font-weight: 400; }
.reply + .reply { margin-top: 1.2rem; }
.status { font: 600 0.82rem/1 var(--mono); color: var(--green); background: var(--green-paper); padding: 0.25rem 0.4rem; border-radius: 4px; margin-right: 0.3rem; }
.errors { margin-top: 1.7rem; border-top: 1px solid var(--line); }
summary { cursor: pointer; padding: 0.7rem 0; }
summary h4 { display: inline; margin: 0 0.4rem 0 0.2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.88rem; }
th { text-align: left; font-weight: 600; color: var(--soft); }
th, td { padding: 0.4rem 0.9rem 0.4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child { font-family: var(--mono); }
td code { overflow-wrap: normal; white-space: nowrap; }

figure { margin: 0; background: var(--code-paper); color: var(--code-ink); border-radius: 10px; overflow: hidden; min-width: 0; border: 1px solid var(--code-line); }
figcaption { display: flex; justify-content: space-between; align-items: center; min-height: 2.3rem; padding: 0.2rem 0.5rem 0.2rem 1rem; font-size: 0.8rem; color: var(--code-soft); border-bottom: 1px solid var(--code-line); }
figure button { font: inherit; color: var(--code-ink); background: none; border: 0; padding: 0.35rem 0.6rem; border-radius: 5px; cursor: pointer; }
figure button:hover { background: var(--code-line); }
figure :focus-visible { outline-color: #7cd0c6; outline-offset: -2px; }
pre { margin: 0; padding: 0.9rem 1rem 1.1rem; overflow: auto; max-height: 26rem; line-height: 1.55; tab-size: 2; }
pre code { font-size: 0.8rem; }
figure:first-child pre { white-space: pre-wrap; overflow-wrap: anywhere; }

.schema { padding: 1.8rem 0; border-bottom: 1px solid var(--line); max-width: 52rem; }
.schema h3 { font: 600 1.05rem/1.3 var(--mono); letter-spacing: 0; overflow-wrap: anywhere; }
:target > header h3, .schema:target h3 { text-decoration: underline; text-decoration-color: var(--focus); text-decoration-thickness: 2px; text-underline-offset: 0.25em; }
footer { margin-top: 4rem; color: var(--soft); font-size: 0.88rem; }

@media (max-width: 75rem) {
  .columns { grid-template-columns: minmax(0, 1fr); gap: 1.5rem; }
  .examples { position: static; }
}
@media (max-width: 54rem) {
  body { grid-template-columns: minmax(0, 1fr); }
  .masthead { padding: 0.7rem 1.25rem; position: static; flex-wrap: wrap; }
  html { scroll-padding-top: 4rem; }
  nav { top: 0; z-index: 1; padding: 0.45rem 0.75rem; background: var(--paper); border-bottom: 1px solid var(--line); max-height: none; align-self: auto; }
  nav > ul { display: flex; gap: 0.2rem; overflow-x: auto; scrollbar-width: none; }
  nav > ul > li { margin: 0; flex: none; }
  nav .area { padding: 0.45rem 0.65rem; }
  nav ul ul { display: none; }
  main { padding-top: 1.75rem; }
  .chapter { margin-top: 3rem; }
}
@media print { nav, .masthead, .skip { display: none; } body { display: block; } .columns { display: block; } pre { max-height: none; white-space: pre-wrap; } }
`;
