import { watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Command } from "commander";
import { connect, type Platform } from "../../connection/platform.ts";
import { readSource } from "../../data/input.ts";
import { openPreviewPage, type Shown } from "../../data/preview-page.ts";
import { readParts } from "../../data/template-folders.ts";
import { Failure } from "../../failure.ts";
import { isObject, type Json, parseJson, textOf } from "../../json.ts";
import {
  between,
  type CommonOptions,
  type RecordAddress,
  recordAddress,
  withConnection,
  withExamples,
} from "../../options.ts";
import { openBrowser } from "../../terminal/browser.ts";
import { done, say, tint } from "../../terminal/terminal.ts";
import { plain } from "../../terminal/text.ts";

interface PreviewOptions extends CommonOptions {
  readonly dir: string;
  readonly data?: string;
  readonly record?: RecordAddress;
  readonly watch?: true;
  readonly open: boolean;
  readonly port: number;
}

const readData = async (file: string | undefined): Promise<Json | undefined> => {
  if (file === undefined) return undefined;
  const data = parseJson((await readSource(undefined, file))?.text ?? "");
  if (!isObject(data)) throw new Failure("usage", `${file} holds no JSON object.`);
  return data;
};

const render = async (platform: Platform, folder: string, { data: file, record }: PreviewOptions): Promise<Shown> => {
  const parts = Object.entries(await readParts(folder)).filter(([, text]) => text !== null);
  const data = await readData(file);
  const json = { ...Object.fromEntries(parts), ...(data && { data }), ...(record && { record }) };
  const path = "/v1/email-services/preview-template";
  const { body } = await platform.call({ method: "POST", path, json, reads: true, repeatable: true });
  if (!isObject(body)) throw new Failure("failed", "The platform gave no preview.");
  const missing = Array.isArray(body.missing) ? body.missing.filter(isObject) : [];
  return {
    subject: textOf(body.subject) ?? "",
    html: textOf(body.html) ?? "",
    text: textOf(body.text) ?? "",
    remarks: missing.map(({ name, part, line, column }) =>
      plain(`${part}.liquid:${line}:${column}: the data have no ${name}`),
    ),
  };
};

const QUIET_MS = 100;

/** Calls after changes of these folders' files, at most once for changes at the same time. */
const onChange = (folders: readonly string[], act: () => void): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  const watchers = folders.map((folder) =>
    watch(folder, () => {
      clearTimeout(timer);
      timer = setTimeout(act, QUIET_MS);
    }),
  );
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
};

const showUntilInterrupted = async (platform: Platform, folder: string, options: PreviewOptions): Promise<void> => {
  let last = await render(platform, folder, options);
  const page = await openPreviewPage(options.port);
  page.show(last);
  const update = async (): Promise<void> => {
    try {
      last = await render(platform, folder, options);
      page.show(last);
      say(tint.dim("  shown again"));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      page.show({ ...last, remarks: [error.message] });
      say(error.message);
    }
  };
  let turn = Promise.resolve();
  const folders = new Set([folder, ...(options.data === undefined ? [] : [dirname(options.data)])]);
  const stop = onChange([...folders], () => {
    turn = turn.then(update);
  });
  done(`Shown at ${page.url} until you press Ctrl-C`);
  if (options.open) await openBrowser(page.url).catch(() => say("No browser could be started: open the address."));
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, resolve);
  await promise;
  stop();
  page.close();
};

const run = async (name: string, options: PreviewOptions): Promise<void> => {
  if (basename(name) !== name) throw new Failure("usage", "Name a folder of templates, without a path.");
  const folder = join(options.dir, name);
  const platform = await connect(options);
  if (options.watch) return showUntilInterrupted(platform, folder, options);
  const { subject, text, remarks } = await render(platform, folder, options);
  process.stdout.write(`${tint.bold(plain(subject))}\n\n${text.split("\n").map(plain).join("\n")}\n`);
  for (const remark of remarks) say(remark);
};

export const previewTemplate = (): Command =>
  withExamples(
    withConnection(
      new Command("preview")
        .summary("render a template from its files")
        .description(
          "Renders the template in a folder on the platform, without storing or sending it, and prints subject and text. With " +
            "--watch the mail is shown in the browser, again after each change of its files.",
        )
        .argument("<name>", "the folder of the template")
        .option("-d, --dir <folder>", "the folder of all templates", "templates")
        .option("--data <file>", "a JSON object with what the template reads")
        .option("--record <object/id>", "a record that the template reads", recordAddress)
        .option("--watch", "show it in the browser until Ctrl-C")
        .option("--no-open", "with --watch: print the address alone")
        .option("--port <number>", "with --watch: this port", between(0, 65_535), 0),
    ),
    ["tenantry template preview Welcome --data example.json"],
    ["tenantry template preview Welcome --record lead/019a0000-0000-7000-8000-000000000000 --watch"],
  ).action(run);
