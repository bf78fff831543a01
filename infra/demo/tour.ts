import pc from "picocolors";
import * as z from "zod";
import type { DemoClient, DemoReply, DemoRequest } from "./client.ts";
import { DEMO_PASSWORD, demoUsers } from "./data.ts";
import { runFunctions } from "./functions.ts";
import { sendMessages } from "./messages.ts";
import { tryInSandbox } from "./sandbox.ts";
import { modelBusiness } from "./small-business.ts";
import type { DemoVendors } from "./vendors.ts";

type Print = (line: string) => void;

const SHOWN_LINES = 14;

/** Of every record. They would hide its own fields. */
const systemFields = ["created_date", "modified_date", "created_by", "modified_by", "owner", "shared_with"];

const shorten = (body: unknown): string => {
  const hidden = (key: string, value: unknown): unknown => {
    if (systemFields.includes(key)) return undefined;
    return typeof value === "string" && /_token$/.test(key) ? `${value.slice(0, 12)}…` : value;
  };
  const lines = (typeof body === "string" ? body : (JSON.stringify(body, hidden, 2) ?? "")).split("\n");
  const rest = lines.length - SHOWN_LINES;
  return rest > 0 ? [...lines.slice(0, SHOWN_LINES), `… ${rest} more lines`].join("\n") : lines.join("\n");
};

const colour = (status: number): string => {
  const text = String(status);
  if (status < 300) return pc.green(text);
  return status < 500 ? pc.yellow(text) : pc.red(text);
};

/** A request of the tour, and the status that it should have, or one of these. */
export interface Step extends DemoRequest {
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly status: number | readonly number[];
  /** What the body should have. */
  readonly expected?: z.ZodType;
}

/** Runs the tour. Gives the number of steps that had the expected status. */
export const playTour = async (
  call: DemoClient,
  vendors: DemoVendors,
  print: Print,
): Promise<{ steps: number; failed: number }> => {
  let steps = 0;
  let failed = 0;
  const play = async (step: Step): Promise<DemoReply> => {
    steps += 1;
    print(`\n${pc.bold(`${steps}. ${step.title}`)}`);
    print(`${pc.cyan(step.method)} ${decodeURIComponent(step.path.replaceAll("+", " "))}`);
    if (step.body !== undefined) print(pc.dim(JSON.stringify(step.body)));
    if (step.raw !== undefined) print(pc.dim(step.raw.body.trim()));
    const reply = await call(step.method, step.path, step);
    print(`→ ${colour(reply.status)} ${pc.dim(`${reply.milliseconds.toFixed(1)} ms`)}`);
    if (reply.body !== "") print(shorten(reply.body).replace(/^/gm, "  "));
    const expected = [step.status].flat();
    if (!expected.includes(reply.status) || step.expected?.safeParse(reply.body).success === false) {
      failed += 1;
      print(pc.red(`  expected ${expected.join(" or ")}${step.expected ? " and another body" : ""}`));
    }
    return reply;
  };

  const token = z.object({ access_token: z.string() });
  const signIn = async (title: string, email: string): Promise<string> => {
    const form = { username: email, password: DEMO_PASSWORD };
    const reply = await play({ title, method: "POST", path: "/v1/oauth2/login", form, status: 200 });
    return token.parse(reply.body).access_token;
  };
  const query = (q: string): string => `/v1/query?${new URLSearchParams({ q })}`;

  await play({ title: "Is everything up?", method: "GET", path: "/v1/status?deep=true", status: 200 });
  const owner = await signIn("Olivia, who owns Acme, signs in", demoUsers.owner.email);
  await play({ title: "Who am I, and where?", method: "GET", path: "/v1/auth/load", token: owner, status: 200 });
  await play({ title: "What is a lead made of?", method: "GET", path: "/v1/schema/lead", token: owner, status: 200 });
  const lead = { name: "Grace Hopper", status: "New", source: "Event", email: "grace@navy.example", amount: 19_060 };
  const made = await play({
    title: "Write a record",
    method: "POST",
    path: "/v1/object/lead",
    body: lead,
    token: owner,
    status: 201,
  });
  const { id } = z.object({ id: z.string() }).parse(made.body);
  await play({
    title: "What does not fit is refused whole, with every reason",
    method: "POST",
    path: "/v1/object/lead",
    body: { email: "no email", amount: "a lot", colour: "red" },
    token: owner,
    status: 422,
  });
  await play({
    title: "Change it",
    method: "PATCH",
    path: `/v1/object/lead/${id}`,
    body: { status: "Working" },
    token: owner,
    status: 200,
  });
  await play({
    title: "Ask in one line of text",
    method: "GET",
    path: query(
      "SELECT name, status, amount FROM lead WHERE (status = 'Working' OR status IN ['New', 'Qualified']) AND " +
        "name LIKE 'gra%' ORDER BY amount DESC LIMIT 3",
    ),
    token: owner,
    status: 200,
  });
  const questions = [
    [
      "Join: who leads the companies with an overdue invoice?",
      "SELECT company.name, contact.name, invoice.amount FROM invoice JOIN company ON company.id = " +
        "invoice.company JOIN contact ON contact.id = invoice.contact WHERE invoice.status = 'Overdue' AND " +
        "contact.title = 'Founder' ORDER BY invoice.amount DESC LIMIT 2",
    ],
    [
      "Group: which sources bring the most?",
      "SELECT source, COUNT(*) AS leads, SUM(amount) AS total FROM lead WHERE status != 'Lost' GROUP BY source " +
        "HAVING COUNT(*) > 50 ORDER BY total DESC",
    ],
    [
      "Dates: what of mine came in this week, where I live?",
      "SELECT name, created_date FROM lead WHERE owner = ME AND created_date = this_week ORDER BY created_date " +
        "DESC LIMIT 1",
    ],
    [
      "EXPLAIN says what would run, and which index helps",
      "EXPLAIN SELECT name FROM lead WHERE created_date = last_n_days:30",
    ],
  ] as const;
  for (const [title, q] of questions) {
    await play({ title, method: "GET", path: query(q), token: owner, status: 200 });
  }
  await play({
    title: "A mistake is pointed at",
    method: "GET",
    path: query("SELECT name FROM lead WHERE statsu = 'New'"),
    token: owner,
    status: 422,
  });
  const member = await signIn("Marco, a plain member, signs in", demoUsers.member.email);
  await play({
    title: "He may read leads …",
    method: "GET",
    path: query("SELECT name, amount FROM lead WHERE amount BETWEEN 19000 AND 19100 ORDER BY amount LIMIT 2"),
    token: member,
    status: 200,
  });
  await play({
    title: "… but not make himself an administrator",
    method: "GET",
    path: "/v1/object/permission",
    token: member,
    status: 403,
  });
  await modelBusiness({ play, owner, member });
  await runFunctions({ play, call, owner, member });
  const root = await signIn("Robin operates the platform, and works in another organization", demoUsers.root.email);
  await sendMessages({ play, call, vendors, owner, member, root });
  await tryInSandbox({ play, call, owner });
  await play({
    title: "Where Robin works, Acme's record does not exist",
    method: "GET",
    path: `/v1/object/lead/${id}`,
    token: root,
    status: 404,
  });
  await play({ title: "Olivia signs out", method: "POST", path: "/v1/auth/logout", token: owner, status: 204 });
  await play({
    title: "Her token is worth nothing from that moment on",
    method: "GET",
    path: `/v1/object/lead/${id}`,
    token: owner,
    status: 401,
  });
  return { steps, failed };
};
