import type { Document, MongoClient } from "mongodb";
import { storedSchema } from "#shared/data/schema/object-schema";
import { indexPlanOf, standardSchemas } from "#shared/data/schema/schema";
import { tenantDatabase } from "#shared/tenant/database";
import type { Tenant } from "#shared/tenant/tenant";
import { firstCopy } from "../setup/first-copy.ts";

const statuses = ["New", "Working", "Qualified", "Unqualified", "Converted"];
const industries = ["Energy", "Retail", "Health", "Media", "Mining", "Travel", "Finance", "Food"];
const DAY = 86_400_000;
const PER_COMPANY = 50;
const BATCH = 5_000;

const user = { id: "user", schema: "user", name: "Bench" };

const systemOf = (id: string, index: number): Document => {
  const created = new Date(Date.UTC(2026, 0, 1) - ((index * 7_919) % 365) * DAY - index);
  return {
    _id: id,
    id,
    created_date: created,
    modified_date: created,
    created_by: user,
    modified_by: user,
    owner: user,
    shared_with: [],
  };
};

const companyOf = (index: number): Document => ({
  ...systemOf(`company-${index}`, index),
  name: `Company ${index}`,
  industry: industries[index % industries.length],
  employees: index % 500,
});

const leadOf =
  (companies: number) =>
  (index: number): Document => {
    const company = (index * 31) % companies;
    return {
      ...systemOf(`lead-${index}`, index),
      name: `Lead ${index}`,
      status: statuses[index % statuses.length],
      email: `lead-${index}@example.test`,
      amount: (index * 7_919) % 10_000,
      company: { id: `company-${company}`, schema: "company", name: `Company ${company}` },
    };
  };

/** An organization's database with that many leads, fifty a company, stored and indexed as by the platform. */
export const tenantWithLeads = async (client: MongoClient, leads: number): Promise<Tenant> => {
  const id = `org_bench_${leads}`;
  const db = client.db(id);
  await db.collection<{ _id: string }>("schemas").insertMany(standardSchemas().map(storedSchema));
  const companies = leads / PER_COMPANY;
  const load = async (name: string, count: number, make: (index: number) => Document) => {
    const schema = standardSchemas().find(({ api_name }) => api_name === name);
    if (schema) await db.collection(name).createIndexes([...indexPlanOf(schema).indexes]);
    for (let start = 0; start < count; start += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, count - start) }, (_, index) => make(start + index));
      await db.collection(name).insertMany(batch, { ordered: false });
    }
  };
  await load("company", companies, companyOf);
  await load("lead", leads, leadOf(companies));
  return {
    ...tenantDatabase(client, db, firstCopy(id)),
    caller: {
      id: user.id,
      email: "bench@example.test",
      name: user.name,
      session_id: "session",
      organization_id: id,
      scope: "",
      client_id: null,
      responsible: null,
      is_admin: true,
      is_account_owner: true,
      is_superuser: false,
      second_factor: false,
      permissions: [],
      role: null,
      time_zone: "UTC",
    },
    state: { _id: id, status: "active", schema_version: 1, access_version: 1, indexed: {} },
    request_id: "bench",
  };
};
