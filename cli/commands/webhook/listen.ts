import { setTimeout as pause } from "node:timers/promises";
import { Command } from "commander";
import type { ReceivedWebhook } from "#contracts/email-webhooks";
import { connect, type Platform } from "../../connection/platform.ts";
import { Failure } from "../../failure.ts";
import { isObject } from "../../json.ts";
import { type CommonOptions, withConnection, withExamples, withJson } from "../../options.ts";
import { isTerminal, paint, print, remark } from "../../terminal/terminal.ts";
import { plain } from "../../terminal/text.ts";

interface ListenOptions extends CommonOptions {
  readonly since?: string;
  readonly once?: true;
}

const POLL_MS = 2_000;
/** A webhook is listed when it is committed, which may be after a later one. */
const OVERLAP_MS = 60_000;
const PAGE = 200;

/** All webhooks since a time, oldest first. */
const read = async ({ call }: Platform, since: string): Promise<ReceivedWebhook[]> => {
  const all: ReceivedWebhook[] = [];
  let cursor: string | undefined;
  for (;;) {
    const query = new URLSearchParams({ since, limit: String(PAGE), ...(cursor === undefined ? {} : { cursor }) });
    const path = `/v1/email-services/emailvendor/webhooks?${query}`;
    const { body } = await call({ method: "GET", path, repeatable: true });
    const webhooks = isObject(body) && Array.isArray(body.webhooks) ? (body.webhooks as ReceivedWebhook[]) : [];
    all.push(...webhooks);
    cursor = isObject(body) && typeof body.next_cursor === "string" ? body.next_cursor : undefined;
    if (webhooks.length < PAGE || cursor === undefined) return all;
  }
};

const colours = { queued: paint.dim, processed: paint.green, failed: paint.red } as const;

const outcomeOf = ({ kind, result, error }: ReceivedWebhook): string => {
  if (error !== null) return error;
  if (result === null) return "";
  if (kind === "mail")
    return result.email_message === undefined ? "known already" : `email_message ${result.email_message}`;
  const { events = 0, applied = 0, unknown = 0, ignored = 0 } = result;
  return `${events} events: ${applied} applied, ${unknown} of no message, ${ignored} ignored`;
};

const textOf = (webhook: ReceivedWebhook): string => {
  const { received_at, kind, signature, size, status, id } = webhook;
  const sender = signature === "ses" ? "from SES" : `signed by ${signature}`;
  const facts = [received_at, kind, sender, `${size} bytes`].map((part) => plain(part));
  const parts = [...facts, colours[status](plain(status)), plain(outcomeOf(webhook)), plain(id.slice(0, 12))];
  return `${parts.filter((part) => part !== "").join("  ")}
`;
};

const timeOf = (text: string | undefined): number => {
  const time = text === undefined ? Date.now() : Date.parse(text);
  if (Number.isNaN(time)) throw new Failure("usage", `"${text}" is no time. An example: 2026-11-22T09:30:00Z`);
  return time;
};

const run = async (options: ListenOptions): Promise<void> => {
  const start = timeOf(options.since);
  const platform = await connect(options);
  const isText = (options.output ?? (isTerminal() ? "table" : "json")) === "table";
  if (!options.once) remark("Webhooks are shown as they arrive, and again when they are done. Ctrl-C ends it.");
  /** Id → what was shown of it last. */
  const shown = new Map<string, string>();
  let from = start;
  for (;;) {
    const found = await read(platform, new Date(from).toISOString());
    for (const webhook of found) {
      if (shown.get(webhook.id) === webhook.status) continue;
      shown.set(webhook.id, webhook.status);
      await print(isText ? textOf(webhook) : `${JSON.stringify(webhook)}\n`);
    }
    if (options.once) return;
    const waiting = found.find(({ status }) => status === "queued") ?? found.at(-1);
    if (waiting !== undefined) from = Math.max(start, Date.parse(waiting.received_at) - OVERLAP_MS);
    await pause(POLL_MS);
  }
};

export const listenToWebhooks = (): Command =>
  withExamples(
    withConnection(
      withJson(
        new Command("listen")
          .summary("show what email vendors send, as it arrives")
          .description(
            "Shows the webhooks of email vendors as they arrive: what was signed how, its size, and what became of it. " +
              "For administrators.",
          )
          .option("--since <time>", "begin at this time instead of now")
          .option("--once", "show what there is, and end"),
      ),
    ),
    ["tenantry webhook listen"],
    ["tenantry webhook listen --since 2026-11-22T09:00:00Z --once --output json"],
  ).action(run);
