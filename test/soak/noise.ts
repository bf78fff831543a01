import type { Send } from "./http.ts";
import type { Organization } from "./organization.ts";

const NAMES = 500;
const AT_ONCE = 500;
const LOOPS = 12;

const pipeline = (stages: readonly unknown[]): object => ({ collection: "lead", pipeline: stages });
const sql = (query: string): object => ({ query, bypass_cache: true });

const grow = { $addFields: { x: { a: "$x", b: "$x", c: "$$ROOT.x", n: "$name" } } };
const all = { $lookup: { from: "lead", pipeline: [], as: "other" } };
const nested = (depth: number): object => (depth === 0 ? { $eq: ["$name", "a"] } : { $not: [nested(depth - 1)] });

/** The attacks of a hostile or careless organization, with path and body. */
const attacks: Readonly<Record<string, (turn: number) => readonly [path: string, body: object]>> = {
  "evil pattern": () => ["/v1/query/docdb", pipeline([{ $match: { name: { $regex: "^(a+)+$" } } }])],
  "a value that doubles": () => [
    "/v1/query/docdb",
    pipeline([{ $limit: 1 }, ...Array.from({ length: 60 }, () => grow)]),
  ],
  "all matches": () => [
    "/v1/query/docdb",
    pipeline([
      { $limit: 5 },
      {
        $project: {
          n: {
            $regexFindAll: {
              input: {
                $reduce: { input: { $range: [0, 1000] }, initialValue: "", in: { $concat: ["$$value", "$name"] } },
              },
              regex: "a",
            },
          },
        },
      },
      { $project: { n: { $size: "$n" } } },
    ]),
  ],
  "every pair of records": () => [
    "/v1/query/docdb",
    pipeline([all, { $unwind: "$other" }, all, { $unwind: "$other" }, { $count: "rows" }]),
  ],
  "deep expressions": () => ["/v1/query/docdb", pipeline([{ $match: { $expr: nested(50) } }])],
  "a long name": (turn) => [
    "/v1/query/docdb",
    pipeline([{ $lookup: { from: `${turn}${"x".repeat(950_000)}`, pipeline: [], as: "x" } }]),
  ],
  "LIKE of many pieces": () => ["/v1/query", sql(`SELECT name FROM lead WHERE name LIKE '${"%a".repeat(40)}%b'`)],
  "a sort of everything": () => [
    "/v1/query/docdb",
    pipeline([all, { $unwind: "$other" }, { $sort: { "other.name": -1, name: 1 } }, { $limit: 1 }]),
  ],
};

/** Records that make the attacks expensive. */
export const prepareNoise = async (send: Send, { token }: Organization): Promise<void> => {
  const records = Array.from({ length: NAMES }, (_, index) => ({ name: `${"a".repeat(40)}!${index}` }));
  const { status, text } = await send({ method: "POST", path: "/v1/object/lead", body: records, token });
  if (status !== 201) throw new Error(`The noisy organization could not be prepared: ${status} ${text.slice(0, 500)}`);
};

/** Attack → status or error code → how often. */
export type Outcomes = ReadonlyMap<string, ReadonlyMap<string, number>>;

/**
 * Some concurrent attacks of each kind, and twice five hundred heavy queries at once. `stop` sends no more, and
 * resolves with the results when all are answered.
 */
export const makeNoise = (send: Send, { token }: Organization): { stop(): Promise<Outcomes>; burst(): void } => {
  const outcomes = new Map<string, Map<string, number>>();
  const running = new Set<Promise<void>>();
  let stopped = false;
  let turn = 0;

  const attack = async (name: string): Promise<void> => {
    turn += 1;
    const [path, body] = attacks[name]?.(turn) ?? ["/", {}];
    const { status, text } = await send({ method: "POST", path, body, token });
    const type = /"type":"([a-z_]+)"/.exec(text)?.[1] ?? /"code":"([a-z_]+)"/.exec(text)?.[1];
    const outcome = status < 400 || type === undefined ? String(status) : `${status} ${type}`;
    const counts = outcomes.get(name) ?? new Map<string, number>();
    outcomes.set(name, counts.set(outcome, (counts.get(outcome) ?? 0) + 1));
  };
  const track = (work: Promise<void>): void => {
    running.add(work);
    void work.finally(() => running.delete(work));
  };
  const names = Object.keys(attacks);
  const loop = async (first: number): Promise<void> => {
    for (let step = first; !stopped; step += 1) await attack(names[step % names.length] ?? "");
  };
  for (let index = 0; index < LOOPS; index += 1) track(loop(index));
  return {
    burst: () => {
      for (let index = 0; index < AT_ONCE; index += 1)
        track(attack(index % 2 === 0 ? "every pair of records" : "evil pattern"));
    },
    stop: async () => {
      stopped = true;
      while (running.size > 0) await Promise.all(running);
      return outcomes;
    },
  };
};
