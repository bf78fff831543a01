import { expect, test } from "vitest";
import { importsOf, sources } from "./sources.ts";

const network = /^(?:node:)?(?:http|https|http2|net|tls|dgram|dns|undici)(?:\/promises)?$/;

test("only the client for addresses that tenants choose opens connections; fetch is not used", async () => {
  const all = await sources("shared", "functions");
  const opening = all.filter(
    (source) =>
      importsOf(source).some((name) => network.test(name)) || /(?<![.\w])(?:fetch|new WebSocket)\(/.test(source.text),
  );
  expect(opening.map(({ path }) => path)).toEqual([
    "shared/foundation/outbound/addresses.ts",
    "shared/foundation/outbound/request.ts",
    "shared/foundation/outbound/resolve.ts",
  ]);
});
