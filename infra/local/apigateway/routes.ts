/** A declared route: its key, its method (`ANY` for all) and its path in segments. */
export interface Route<T> {
  readonly key: string;
  readonly method: string;
  readonly segments: readonly Segment[];
  readonly target: T;
}

type Segment =
  | { readonly kind: "exact"; readonly text: string }
  | { readonly kind: "parameter" | "greedy"; readonly name: string };

/** The route for a request, with its path parameters; undefined if there is none. */
export interface Match<T> {
  readonly route: Route<T>;
  readonly parameters: Readonly<Record<string, string>> | undefined;
}

const segmentOf = (text: string): Segment => {
  const variable = /^\{([^}+]+)(\+?)\}$/.exec(text);
  if (variable === null) return { kind: "exact", text };
  return { kind: variable[2] === "+" ? "greedy" : "parameter", name: variable[1] ?? "" };
};

/** Parses a route key such as `GET /things/{id}` or `$default`; undefined if it is invalid. */
export const parseRoute = <T>(key: string, target: T): Route<T> | undefined => {
  if (key === "$default") return { key, method: "ANY", segments: [], target };
  const parsed = /^(ANY|GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/.*)$/.exec(key);
  if (parsed === null) return undefined;
  const segments = pathSegments(parsed[2] ?? "/").map(segmentOf);
  if (segments.slice(0, -1).some((segment) => segment.kind === "greedy")) return undefined;
  return { key, method: parsed[1] ?? "ANY", segments, target };
};

const pathSegments = (path: string): string[] => path.slice(1).split("/");

const weight = { exact: 0, parameter: 1, greedy: 2 } as const;

const isGreedy = (route: Route<unknown>): boolean => route.segments.at(-1)?.kind === "greedy";

/**
 * The more specific route first: full matches before greedy ones, then by segment exact text before variables, then a
 * named method before ANY.
 */
const bySpecificity = (left: Route<unknown>, right: Route<unknown>): number => {
  if (isGreedy(left) !== isGreedy(right)) return isGreedy(left) ? 1 : -1;
  const shared = Math.min(left.segments.length, right.segments.length);
  for (let index = 0; index < shared; index++) {
    const [one, other] = [left.segments[index], right.segments[index]];
    if (one !== undefined && other !== undefined && one.kind !== other.kind) {
      return weight[one.kind] - weight[other.kind];
    }
  }
  return right.segments.length - left.segments.length || Number(left.method === "ANY") - Number(right.method === "ANY");
};

const matchSegments = (
  wanted: readonly Segment[],
  actual: readonly string[],
): Readonly<Record<string, string>> | undefined => {
  const parameters: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const text = actual[index];
    if (text === undefined) return undefined;
    if (segment.kind === "exact") {
      if (text !== segment.text) return undefined;
    } else if (segment.kind === "greedy") {
      // A path that ends in a slash has an empty last segment, which a greedy variable matches.
      parameters[segment.name] = actual.slice(index).join("/");
      return parameters;
    } else {
      if (text === "") return undefined;
      parameters[segment.name] = text;
    }
  }
  return wanted.length === actual.length ? parameters : undefined;
};

/**
 * The routing of an HTTP API: full matches before greedy ones, and `$default` for the rest.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html
 */
export const router = <T>(routes: readonly Route<T>[]) => {
  const fallback = routes.find((route) => route.key === "$default");
  const sorted = routes.filter((route) => route.key !== "$default").sort(bySpecificity);
  const byMethod = new Map<string, Route<T>[]>();
  const routesFor = (method: string): Route<T>[] => {
    const known = byMethod.get(method);
    if (known !== undefined) return known;
    const fitting = sorted.filter((route) => route.method === method || route.method === "ANY");
    // Clients choose the method, so only known ones get a table.
    if (byMethod.size < 64) byMethod.set(method, fitting);
    return fitting;
  };
  return (method: string, path: string): Match<T> | undefined => {
    const actual = pathSegments(path);
    for (const route of routesFor(method)) {
      const parameters = matchSegments(route.segments, actual);
      if (parameters !== undefined) {
        return { route, parameters: Object.keys(parameters).length > 0 ? parameters : undefined };
      }
    }
    return fallback && { route: fallback, parameters: undefined };
  };
};
