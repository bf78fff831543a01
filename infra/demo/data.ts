/** The demo organization's records: made by rule, so that everybody sees the same ones. */

export const DEMO_PASSWORD = "tenantry-demo";

export const demoUsers = {
  owner: { email: "owner@acme.test", name: "Olivia Owens", note: "account owner of Acme" },
  member: { email: "member@acme.test", name: "Marco Meyer", note: "plain member of Acme" },
  twoFactor: { email: "two-factor@acme.test", name: "Tove Torres", note: "member of Acme who is mailed a code" },
  root: { email: "root@tenantry.test", name: "Robin Root", note: "superuser, in an organization of their own" },
} as const;

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

const firstNames = [
  "Ada",
  "Bruno",
  "Chidi",
  "Dalia",
  "Emeka",
  "Freya",
  "Goran",
  "Hana",
  "Imran",
  "Jana",
  "Kofi",
  "Lena",
];
const lastNames = ["Abara", "Berg", "Costa", "Diaz", "Eriksen", "Fischer", "Garcia", "Haddad", "Ito", "Jansen", "Kaya"];
const places = ["North", "Harbour", "Summit", "River", "Lake", "Forest", "Meadow", "Stone"];
const trades = ["Logistics", "Foods", "Robotics", "Textiles", "Energy"];
const industries = ["Transport", "Food", "Manufacturing", "Retail", "Energy"];
const leadStatuses = ["New", "Working", "Qualified", "Converted", "Lost"];
const sources = ["Web", "Referral", "Event", "Partner"];
const invoiceStatuses = ["Draft", "Sent", "Paid", "Overdue"];

const day = (offset: number): string => new Date(Date.UTC(2026, 0, 1 + offset)).toISOString().slice(0, 10);

export interface DemoRecord {
  readonly name: string;
  readonly [field: string]: unknown;
}

const slug = (text: string): string => text.toLowerCase().replace(/\W+/g, "-");

export const companies: readonly DemoRecord[] = Array.from({ length: 40 }, (_, index) => {
  const name = `${pick(places, index)} ${pick(trades, Math.floor(index / places.length))}`;
  return {
    name,
    industry: pick(industries, Math.floor(index / places.length)),
    website: `https://${slug(name)}.example`,
    phone: `+4930${String(5_550_000 + index)}`,
    employees: 10 + ((index * 37) % 900),
    annual_revenue: 250_000 + index * 91_500,
  };
});

const personName = (index: number): { first_name: string; last_name: string; name: string } => {
  const first_name = pick(firstNames, index);
  const last_name = pick(lastNames, Math.floor(index / 3));
  return { first_name, last_name, name: `${first_name} ${last_name}` };
};

/** `companyIds` are the ids of `companies` in the same order. */
export const contacts = (companyIds: readonly string[]): DemoRecord[] =>
  Array.from({ length: 120 }, (_, index) => {
    const person = personName(index);
    return {
      ...person,
      email: `${slug(person.name)}-${index}@example.com`,
      title: pick(["Buyer", "Director", "Engineer", "Founder"], index),
      company: pick(companyIds, index),
    };
  });

export const leads = (companyIds: readonly string[]): DemoRecord[] =>
  Array.from({ length: 300 }, (_, index) => {
    const person = personName(index * 7 + 2);
    return {
      name: person.name,
      status: pick(leadStatuses, index * 3 + Math.floor(index / 9)),
      source: pick(sources, index),
      email: `${slug(person.name)}.${index}@example.org`,
      phone: `+4489${String(1_000_000 + index * 31)}`,
      company: pick(companyIds, index * 3),
      amount: 500 + ((index * 7919) % 48_000),
    };
  });

export const invoices = (companyIds: readonly string[], contactIds: readonly string[]): DemoRecord[] =>
  Array.from({ length: 200 }, (_, index) => ({
    name: `INV-${String(index + 1).padStart(4, "0")}`,
    company: pick(companyIds, index),
    contact: pick(contactIds, index),
    amount: 120 + ((index * 4_871) % 20_000),
    status: pick(invoiceStatuses, index),
    due_date: day(index % 330),
  }));
