import { html, type Markup } from "#shared/foundation/html/html";

/** Where the browser goes, in words: a person can tell their own machine from a stranger's. */
export const destination = (uri: string): Markup => {
  const { protocol, hostname, host } = new URL(uri);
  if (protocol === "http:" && (hostname === "127.0.0.1" || hostname === "[::1]"))
    return html`a program on this computer`;
  return protocol === "https:"
    ? html`<strong>${host}</strong>`
    : html`the app on this device (<code>${protocol}</code>)`;
};
