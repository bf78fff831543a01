import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRoute, router } from "../../infra/local/apigateway/routes.ts";
import { propertyRuns } from "../setup/property-runs.ts";

const find = (keys: string[]) => {
  const find = router(keys.map((key) => parseRoute(key, key)).filter((route) => route !== undefined));
  return (method: string, path: string) => find(method, path);
};

const literal = fc.constantFrom("a", "b", "c");
const segment = fc.oneof(literal, fc.constantFrom("{x}", "{y}"));
const path = fc
  .tuple(fc.array(segment, { maxLength: 3 }), fc.option(fc.constant("{rest+}"), { nil: undefined }))
  .map(([segments, greedy]) => `/${[...segments, ...(greedy ? [greedy] : [])].join("/")}`);
const method = fc.constantFrom("ANY", "GET", "POST");
const key = fc.tuple(method, path).map(([one, of]) => `${one} ${of}`);
const asked = fc
  .array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 4 })
  .map((segments) => `/${segments.join("/")}`);

/** Whether a route matches a request, as a regular expression. */
const takes = (route: string, verb: string, target: string): boolean => {
  const [routeMethod, routePath = ""] = route.split(" ");
  const pattern = routePath.replace(/\{\w+\+\}/g, ".*").replace(/\{\w+\}/g, "[^/]+");
  return (routeMethod === "ANY" || routeMethod === verb) && new RegExp(`^${pattern}$`).test(target);
};

const isGreedy = (route: string): boolean => route.includes("+}");

describe("the router of an HTTP API", () => {
  test("finds a route if and only if one matches the request", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(key, { maxLength: 8 }),
        fc.constantFrom("GET", "POST"),
        asked,
        (keys, verb, target) => {
          const fitting = keys.filter((one) => takes(one, verb, target));
          const found = find(keys)(verb, target)?.route.key;
          expect(fitting.length === 0 ? found === undefined : fitting.includes(found ?? "")).toBe(true);
        },
      ),
      propertyRuns(2_000),
    );
  });

  test("never prefers a greedy route to a full match, nor a variable to the exact path", () => {
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 8 }), asked, (keys, target) => {
        const found = find(keys)("GET", target)?.route.key;
        const fitting = keys.filter((one) => takes(one, "GET", target));
        if (found !== undefined && fitting.some((one) => one.endsWith(` ${target}`))) {
          expect(found.endsWith(` ${target}`)).toBe(true);
          if (fitting.includes(`GET ${target}`)) expect(found).toBe(`GET ${target}`);
        }
        if (found !== undefined && isGreedy(found)) expect(fitting.filter((one) => !isGreedy(one))).toEqual([]);
      }),
      propertyRuns(2_000),
    );
  });

  test("does not depend on the order of the routes", () => {
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 6 }), asked, (keys, target) => {
        const shape = (list: string[]) => find(list)("GET", target)?.route.key.replace(/\{\w+/g, "{");
        expect(shape([...keys].reverse())).toBe(shape(keys));
      }),
    );
  });

  test("falls back to $default", () => {
    const lookUp = find(["$default", "GET /a"]);
    expect(lookUp("GET", "/a")?.route.key).toBe("GET /a");
    expect(lookUp("POST", "/a")?.route.key).toBe("$default");
    expect(lookUp("BREW", "/pot")?.route.key).toBe("$default");
  });

  test.each(["GET", "FETCH /a", "GET a", "GET /{a+}/b", ""])("does not understand the key %s", (one) => {
    expect(parseRoute(one, 0)).toBeUndefined();
  });
});
