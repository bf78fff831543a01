import { expect, test } from "vitest";
import { importsOf, sources } from "./sources.ts";

const network = /^(?:node:)?(?:http|https|http2|tls|dgram|dns|undici)(?:\/promises)?$/;
const socket = /\b(?:Socket|connect|createConnection)\b[^;]*from "node:net"/;
const global = /(?<![.\w])(?:fetch|new WebSocket|new EventSource)\(/;

/** Their scripts run in browsers. */
const pages = "shared/identity/pages/views/";

test("only the client for addresses that tenants choose, and the DNS client, open connections", async () => {
  const opening = (await sources("shared", "functions")).filter(
    (source) =>
      importsOf(source).some((name) => network.test(name)) ||
      socket.test(source.text) ||
      (global.test(source.text) && !source.path.startsWith(pages)),
  );
  expect(opening.map(({ path }) => path)).toEqual([
    "shared/foundation/outbound/dns.ts",
    "shared/foundation/outbound/request.ts",
    "shared/foundation/outbound/resolve.ts",
    "shared/foundation/outbound/socket.ts",
  ]);
});
