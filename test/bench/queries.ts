import { type Document, MongoClient } from "mongodb";
import { runQuery } from "#shared/data/query/query";
import type { Tenant } from "#shared/tenant/tenant";
import { comparePair } from "./measure.ts";
import { line, ratio } from "./print.ts";
import { benchQueryCompile } from "./query-compile.ts";
import { tenantWithLeads } from "./query-tenant.ts";

const since = "2025-07-01T00:00:00.000Z";

/** Frequent queries, and the pipelines that an expert would write for them. */
const typical: readonly { what: string; text: string; collection: string; pipeline: Document[] }[] = [
  {
    what: "a page of leads by status, newest first",
    text: "SELECT id, name, status, amount FROM lead WHERE status = 'New' ORDER BY created_date DESC LIMIT 100",
    collection: "lead",
    pipeline: [
      { $match: { status: "New" } },
      { $sort: { created_date: -1, _id: -1 } },
      { $limit: 100 },
      { $project: { _id: 0, id: 1, name: 1, status: 1, amount: 1 } },
    ],
  },
  {
    what: "the leads of a company",
    text: "SELECT id, name, amount FROM lead WHERE company = 'company-42' ORDER BY name",
    collection: "lead",
    pipeline: [
      { $match: { "company.id": "company-42" } },
      { $sort: { name: 1, _id: 1 } },
      { $limit: 10_001 },
      { $project: { _id: 0, id: 1, name: 1, amount: 1 } },
    ],
  },
  {
    what: "leads with their companies, newest first",
    text: "SELECT lead.name, company.name, company.industry FROM lead JOIN company ON company.id = lead.company WHERE lead.status = 'New' ORDER BY lead.created_date DESC LIMIT 100",
    collection: "lead",
    pipeline: [
      { $match: { status: "New" } },
      { $sort: { created_date: -1, _id: -1 } },
      { $lookup: { from: "company", localField: "company.id", foreignField: "_id", as: "found" } },
      { $unwind: "$found" },
      { $limit: 100 },
      { $project: { _id: 0, lead: "$name", company: "$found.name", industry: "$found.industry" } },
    ],
  },
  {
    what: "counts and sums by status of half a year",
    text: `SELECT status, COUNT(*) AS n, SUM(amount) AS total FROM lead WHERE created_date >= '${since}' GROUP BY status ORDER BY n DESC`,
    collection: "lead",
    pipeline: [
      { $match: { created_date: { $gte: new Date(since) } } },
      { $group: { _id: "$status", n: { $sum: 1 }, total: { $sum: "$amount" } } },
      { $sort: { n: -1, _id: 1 } },
      { $project: { _id: 0, status: "$_id", n: 1, total: 1 } },
    ],
  },
  {
    what: "the companies of an industry with the most leads",
    text: "SELECT company.name, COUNT(*) AS leads FROM company JOIN lead ON lead.company = company.id WHERE company.industry = 'Energy' GROUP BY company.id, company.name ORDER BY leads DESC LIMIT 10",
    collection: "company",
    pipeline: [
      { $match: { industry: "Energy" } },
      {
        $lookup: {
          from: "lead",
          localField: "_id",
          foreignField: "company.id",
          pipeline: [{ $project: { _id: 1 } }],
          as: "found",
        },
      },
      { $unwind: "$found" },
      { $group: { _id: { id: "$_id", name: "$name" }, leads: { $sum: 1 } } },
      { $sort: { leads: -1, _id: 1 } },
      { $limit: 10 },
      { $project: { _id: 0, name: "$_id.name", leads: 1 } },
    ],
  },
];

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

const asked = (tenant: Tenant, text: string): Promise<number> =>
  timed(() => runQuery(tenant, { text, loc: ["query", "q"], bypassCache: true }));

/** Reads of an index, with the same number of rows in a small organization as in a large one. */
const indexed = [
  ["one lead by its email", "SELECT id, name FROM lead WHERE email = 'lead-4242@example.test'"],
  ["the leads of a company", "SELECT id, name, amount FROM lead WHERE company = 'company-42'"],
  ["the newest leads", "SELECT id, name FROM lead ORDER BY created_date DESC LIMIT 100"],
  ["the first leads of a status", "SELECT id, name FROM lead WHERE status = 'New' LIMIT 100"],
  [
    "a company's leads by a join",
    "SELECT lead.name, company.name FROM lead JOIN company ON company.id = lead.company WHERE company.id = 'company-42'",
  ],
] as const;

const benchTypical = async (client: MongoClient, tenant: Tenant): Promise<void> => {
  const db = client.db(tenant.organization_id);
  for (const { what, text, collection, pipeline } of typical) {
    const measured = await comparePair(
      () => asked(tenant, text),
      () => timed(() => db.collection(collection).aggregate(pipeline).toArray()),
      60,
    );
    ratio(`${what} ÷ by hand`, measured, 1.2);
  }
};

/**
 * Queries from text to rows (parse, cached schemas and access, compile, run, shape; without HTTP and the query cache)
 * against pipelines written by hand through the driver, over 100,000 leads; then from 10,000 to 1,000,000.
 */
export const benchQueries = async (uri: string): Promise<void> => {
  await benchQueryCompile();
  const client = await new MongoClient(uri).connect();
  const hundred = await tenantWithLeads(client, 100_000);
  await benchTypical(client, hundred);
  await client.db(hundred.organization_id).dropDatabase();
  const small = await tenantWithLeads(client, 10_000);
  const large = await tenantWithLeads(client, 1_000_000);
  for (const [what, text] of indexed) {
    const measured = await comparePair(
      () => asked(large, text),
      () => asked(small, text),
      200,
    );
    ratio(`${what}: 1,000,000 records ÷ 10,000`, measured, 1.3);
  }
  line("", "flat: what grows is the depth of an index");
  for (const { organization_id } of [small, large]) await client.db(organization_id).dropDatabase();
  await client.close();
};
