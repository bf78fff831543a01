import noql from "@synatic/noql";
import type { QueryScope } from "#shared/data/query/analyze/catalog";
import { compileQuery, executable } from "#shared/data/query/compile/compile";
import { parseQuery } from "#shared/data/query/parse/parse";
import { standardSchemas } from "#shared/data/schema/schema";
import { comparePair } from "./measure.ts";
import { atLeast } from "./print.ts";

/** Queries that both compilers accept. */
const QUERIES = [
  "SELECT id, name, status, amount FROM lead WHERE status = 'New' ORDER BY amount DESC LIMIT 100",
  "SELECT name FROM lead WHERE (status = 'New' OR status IN ('Working', 'Qualified')) AND NOT amount < 1000 AND name LIKE 'A%'",
  "SELECT status, COUNT(*) AS n, SUM(amount) AS total FROM lead WHERE amount >= 10 AND amount <= 1000 GROUP BY status ORDER BY n DESC",
  "SELECT lead.name, company.industry FROM lead INNER JOIN company ON company.id = lead.company WHERE lead.status = 'New' AND company.industry = 'Energy' LIMIT 50",
  "SELECT DISTINCT status FROM lead WHERE name LIKE 'A%' OR amount IS NULL",
];

const TIMES = 200;

const milliseconds = (work: () => void): Promise<number> => {
  const start = performance.now();
  for (let time = 0; time < TIMES; time += 1) work();
  return Promise.resolve((performance.now() - start) / TIMES / QUERIES.length);
};

/** Text to pipeline: names resolved, access applied, values converted, without reading schemas. */
export const benchQueryCompile = async (): Promise<void> => {
  const scope: QueryScope = {
    objects: new Map(
      standardSchemas().map((schema) => [
        schema.api_name,
        { api_name: schema.api_name, fields: new Map(Object.entries(schema.properties)) },
      ]),
    ),
    objectNames: [],
    access: {
      objectReadable: () => true,
      fieldReadable: () => true,
      named: "all",
      seesSensitive: true,
      filter: () => null,
    },
    caller: "user",
    now: new Date(),
    timeZone: "UTC",
    loc: ["q"],
  };
  const ours = () => {
    for (const text of QUERIES) executable(compileQuery(parseQuery(text, scope.loc), scope));
  };
  const theirs = () => {
    for (const text of QUERIES) noql.parseSQL(text);
  };
  const measured = await comparePair(
    () => milliseconds(theirs),
    () => milliseconds(ours),
    20,
  );
  atLeast("compiling a query: @synatic/noql ÷ ours", measured, 10);
};
