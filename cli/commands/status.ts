import { Command } from "commander";
import type * as z from "zod";
import type { getStatus } from "#contracts/platform";
import { knownSandbox, labelOf } from "../connection/places.ts";
import { refusal, send } from "../connection/request.ts";
import { type Target, targetOf } from "../connection/target.ts";
import { type CommonOptions, withConnection, withExamples, withJson } from "../options.ts";
import { showOne } from "../terminal/show.ts";

type Status = z.output<(typeof getStatus)["replies"][200]["body"]>;

const checked = ({ ok, milliseconds }: { ok: boolean; milliseconds: number }): string =>
  ok ? `ok (${milliseconds.toFixed(1)} ms)` : "does not answer";

/** Asks nobody: the sandbox could be gone, which the other commands tell. */
const sandboxLabel = (target: Target): string => {
  const known = knownSandbox(target);
  return known ? labelOf(known) : `sandbox ${target.sandbox}`;
};

const run = async (options: CommonOptions): Promise<void> => {
  const target = await targetOf(options);
  const began = performance.now();
  const reply = await send(target.url, { method: "GET", path: "/v1/status?deep=true", retries: 0 });
  const milliseconds = performance.now() - began;
  if (reply.status !== 200) throw refusal(target.url, reply);
  const status = reply.body as Status;
  const signedIn = target.profile?.refresh_token === undefined ? "nobody" : (target.profile.email ?? "yes");
  const summary = {
    platform: target.url,
    answers: `${status.detail} (${milliseconds.toFixed(1)} ms)`,
    version: `${status.version} (${status.stage})`,
    ...(status.checks && {
      database: checked(status.checks.database),
      "signing key": checked(status.checks.signing_key),
    }),
    profile: target.name,
    "signed in": signedIn,
    ...(target.workspace && { workspace: target.workspace.path }),
    ...(target.sandbox && { "works in": sandboxLabel(target) }),
  };
  const content = {
    ...status,
    url: target.url,
    profile: target.name,
    ...(target.sandbox && { sandbox: target.sandbox }),
    milliseconds: Math.round(milliseconds * 10) / 10,
  };
  await showOne(
    options,
    content,
    Object.keys(summary).map((key) => ({ key })),
    summary,
  );
};

export const status = (): Command =>
  withExamples(
    withConnection(
      withJson(
        new Command("status")
          .summary("ask whether the platform is up")
          .description("Asks the platform, its database and its signing key; you need not be signed in."),
      ),
    ),
    ["tenantry status"],
    ["tenantry status --url https://api.example.com --output json"],
  ).action(run);
