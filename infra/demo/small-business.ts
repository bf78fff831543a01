import * as z from "zod";
import type { DemoReply } from "./client.ts";
import { demoUsers } from "./data.ts";
import type { Step } from "./tour.ts";

export interface BusinessTour {
  readonly play: (step: Step) => Promise<DemoReply>;
  /** Access tokens. */
  readonly owner: string;
  readonly member: string;
}

const record = z.object({ id: z.string() });
const rows = z.object({ records: z.array(z.object({ id: z.string(), permissions: z.array(record).nullish() })) });

const query = (q: string): string => `/v1/query?${new URLSearchParams({ q })}`;

const fields = [
  { name: "Number", api_name: "number", type: "string", format: "auto-number", default: "JOB-{0000}" },
  { name: "Customer", api_name: "customer", type: "json", format: "lookup", schema: "company" },
  { name: "Price", api_name: "price", type: "number", format: "currency" },
  { name: "Status", api_name: "status", type: "string", format: "enum", values: ["Planned", "Done"], restricted: true },
];

/** The part of the tour that models a small business: an object, a rule, and a role with limited rights. */
export const modelBusiness = async ({ play, owner, member }: BusinessTour): Promise<void> => {
  const post = (title: string, path: string, body: unknown, status: number): Promise<DemoReply> =>
    play({ title, method: "POST", path, body, token: owner, status });
  const idOf = async (reply: Promise<DemoReply>): Promise<string> => record.parse((await reply).body).id;

  await post("Model a business: jobs for customers", "/v1/schema", { name: "Job", fields }, 201);
  await post(
    "A rule: a job that is done has a price",
    "/v1/schema/job/validation-rule",
    {
      name: "Done has a price",
      condition: 'record.status == "Done" && record.price == null',
      error_message: "A job that is done has a price.",
      error_field: "price",
    },
    200,
  );
  const role = await idOf(
    post("A role that sees its own records", "/v1/object/role", { name: "Technician", view_access: "personal" }, 201),
  );
  const permission = await idOf(
    post(
      "A permission: read and update jobs, but not their price",
      "/v1/object/permission",
      {
        name: "Technicians",
        object_permissions: { job: { read: true, update: true } },
        object_field_permissions: { job: { price: { update: false } } },
      },
      201,
    ),
  );
  const found = await play({
    title: "Who is Marco?",
    method: "GET",
    path: query(`SELECT id, permissions FROM user WHERE email = '${demoUsers.member.email}'`),
    token: owner,
    status: 200,
  });
  const marco = rows.parse(found.body).records[0];
  const held = marco?.permissions?.map(({ id }) => id) ?? [];
  await play({
    title: "Marco becomes a technician",
    method: "PATCH",
    path: `/v1/object/user/${marco?.id}`,
    body: { role, permissions: [...held, permission] },
    token: owner,
    status: 200,
  });
  const jobs = [
    { name: "Repair the lift", owner: marco?.id, status: "Planned" },
    { name: "Paint the hall", price: 900, status: "Planned" },
  ];
  const made = await post("Two jobs, one of them Marco's", "/v1/object/job", jobs, 201);
  const [his] = z.array(record).parse(made.body);
  await post("The rule refuses a third", "/v1/object/job", { name: "Polish the bell", status: "Done" }, 422);
  await play({
    title: "Marco sees his own job alone",
    method: "GET",
    path: query("SELECT number, name, price FROM job"),
    token: member,
    status: 200,
  });
  await play({
    title: "Its price is not his to set",
    method: "PATCH",
    path: `/v1/object/job/${his?.id}`,
    body: { price: 5_000 },
    token: member,
    status: 403,
  });
  await play({
    title: "Who has changed it?",
    method: "GET",
    path: `/v1/object/job/${his?.id}/history`,
    token: member,
    status: 200,
  });
};
