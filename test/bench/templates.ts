import { httpClient } from "../setup/http-client.ts";
import type { LaunchedPlatform } from "../setup/launch-platform.ts";
import { median } from "./measure.ts";
import { line } from "./print.ts";

const SIZE = 100 * 1024;
const TIMES = 20;

const ROW = "<tr><td>{{ item.name }}</td><td>{{ item.price | round: 2 }}</td></tr>\n";
const PARAGRAPH = "<p>A line of a long letter to {{ item.name }}, with a few words and no surprises in it.</p>\n";

const filled = (piece: string): string => piece.repeat(Math.ceil(SIZE / piece.length));

/** The preview of a template of 100 KB: a letter, and a table whose cells get styles. */
export const benchTemplates = async ({ url }: LaunchedPlatform["access"]): Promise<void> => {
  const http = httpClient(url);
  const { body: registered } = await http.post("/v1/register", {
    body: { organization_name: "Templates", email: "templates@example.test", password: "correct horse battery staple" },
    expect: 201,
  });
  const token: string = registered.access_token;
  const data = { item: { name: "Ada", price: 12.345 } };
  const preview = async (html: string): Promise<number> => {
    const start = performance.now();
    await http.post("/v1/email-services/preview-template", { token, body: { html, data }, expect: 200 });
    return performance.now() - start;
  };
  const bodies = {
    letter: filled(PARAGRAPH),
    "styled table": `<style>td{color:red}</style><table>${filled(ROW)}</table>`,
  };
  for (const [name, html] of Object.entries(bodies)) {
    const first = await preview(html);
    const times: number[] = [];
    for (let count = 0; count < TIMES; count += 1) times.push(await preview(html));
    line(
      `preview of a template of 100 KB, ${name}`,
      `${median(times).toFixed(0)} ms`,
      `the first ${first.toFixed(0)} ms`,
    );
  }
};
