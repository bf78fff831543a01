import { palette } from "./palette.ts";

/** The style sheet of small pages: a card, on screens from 320 pixels. */
export const style = `${palette}
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; background: var(--panel); color: var(--ink); font: 1rem/1.55 var(--sans); padding: 0 1rem 3rem; }
header { text-align: center; padding: clamp(1.5rem, 9vh, 5.5rem) 0 1.1rem; }
.brand { margin: 0; font: 600 1.45rem/1.2 var(--serif); letter-spacing: -0.01em; }
.brand::before { content: ""; display: inline-block; width: 0.62em; height: 0.62em; margin-right: 0.42em; border-radius: 2px; background: var(--accent); }
main { max-width: 27rem; margin: 0 auto; padding: clamp(1.4rem, 5vw, 2.25rem); background: var(--paper); border: 1px solid var(--line); border-radius: 14px; box-shadow: 0 1px 2px rgb(0 0 0 / 5%), 0 12px 32px -16px rgb(0 0 0 / 18%); }
h1 { margin: 0 0 0.35rem; font: 600 1.7rem/1.2 var(--serif); letter-spacing: -0.012em; text-wrap: balance; overflow-wrap: anywhere; }
h2 { margin: 0 0 0.35rem; font: 600 1.05rem/1.3 var(--sans); }
p { margin: 0.5rem 0; overflow-wrap: anywhere; }
.soft, .hint { color: var(--soft); }
.hint { font-size: 0.9rem; margin: 0.25rem 0 0; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.18em; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
form { margin: 1.25rem 0 0; }
label, legend { display: block; font-weight: 600; font-size: 0.95rem; padding: 0; }
.field { margin: 0 0 1.05rem; }
input:not([type="radio"]) { display: block; width: 100%; margin-top: 0.3rem; padding: 0.7rem 0.8rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--soft); border-radius: 8px; }
.hint + input:not([type="radio"]) { margin-top: 0.55rem; }
input:focus-visible { outline-offset: 0; border-color: var(--focus); }
input[aria-invalid="true"] { border-color: var(--red); border-width: 2px; }
input.code { font: 600 1.35rem/1.4 var(--mono); letter-spacing: 0.14em; }
fieldset { margin: 0 0 1.1rem; padding: 0; border: 0; min-width: 0; }
.choice { display: flex; gap: 0.65rem; align-items: baseline; margin: 0.45rem 0; padding: 0.6rem 0.8rem; border: 1px solid var(--line); border-radius: 8px; font-weight: 400; cursor: pointer; }
.choice:has(:checked) { border-color: var(--focus); box-shadow: inset 0 0 0 1px var(--focus); }
.choice input { accent-color: var(--accent); margin: 0; flex: none; transform: translateY(0.1em); }
button { display: block; width: 100%; margin-top: 0.6rem; padding: 0.75rem 1rem; font: 600 1rem/1.3 var(--sans); border-radius: 8px; border: 1px solid var(--soft); background: none; color: var(--ink); cursor: pointer; }
.hint + button { margin-top: 1.1rem; }
button:hover { border-color: var(--ink); }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--paper); }
button.primary:hover { filter: brightness(1.08); }
button.plain { display: inline; width: auto; text-align: left; margin: 0; padding: 0.1rem 0; border: 0; color: var(--accent); font-weight: 400; text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: 0.18em; }
.alert { margin: 1rem 0 0; padding: 0.75rem 0.9rem; border-radius: 8px; border-left: 4px solid var(--red); background: var(--red-paper); color: var(--red); font-weight: 600; }
.alert p { margin: 0; } .alert p + p { margin-top: 0.4rem; }
.rights { margin: 0.9rem 0; padding: 0.2rem 0; border: 1px solid var(--line); border-width: 1px 0; list-style: none; }
.rights li { padding: 0.5rem 0 0.5rem 1.7rem; position: relative; }
.rights li::before { content: ""; position: absolute; left: 0.3rem; top: 0.95rem; width: 0.42rem; height: 0.75rem; border: solid var(--accent); border-width: 0 2px 2px 0; transform: translateY(-35%) rotate(42deg); }
.number { display: block; margin: 0.6rem 0; font: 600 2.6rem/1.1 var(--mono); letter-spacing: 0.12em; text-align: center; }
.aside { margin-top: 1.5rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.aside form { margin: 0.3rem 0 0; }
.under { margin: 0.9rem 0 0; font-size: 0.9rem; }
code { font-family: var(--mono); font-size: 0.86em; }
@media (prefers-color-scheme: dark) { body { background: var(--paper); } main { background: var(--panel); } }
@media (forced-colors: active) { .rights li::before { border-color: CanvasText; } button { border: 1px solid ButtonText; } }
`;
