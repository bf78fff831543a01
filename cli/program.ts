import { type Argument, Command } from "commander";
import { pushAutomation } from "./commands/automation/push.ts";
import { runAutomation } from "./commands/automation/run.ts";
import { deploySandboxApp } from "./commands/deploy/app-sandbox.ts";
import { previewEmail } from "./commands/email/preview.ts";
import { searchEmails } from "./commands/email/search.ts";
import { sendEmail } from "./commands/email/send.ts";
import { showEmail } from "./commands/email/show.ts";
import { functionLogs } from "./commands/function/logs.ts";
import { newFunction } from "./commands/function/new.ts";
import { pullFunction } from "./commands/function/pull.ts";
import { pushFunction } from "./commands/function/push.ts";
import { runFunction } from "./commands/function/run.ts";
import { init } from "./commands/init.ts";
import { login } from "./commands/login.ts";
import { logout } from "./commands/logout.ts";
import { listNotifications } from "./commands/notification/list.ts";
import { readNotifications } from "./commands/notification/read.ts";
import { sendNotification } from "./commands/notification/send.ts";
import { open } from "./commands/open.ts";
import { addProfile } from "./commands/profile/add.ts";
import { listProfiles } from "./commands/profile/list.ts";
import { removeProfile } from "./commands/profile/remove.ts";
import { useProfile } from "./commands/profile/use.ts";
import { query } from "./commands/query.ts";
import { createRecord } from "./commands/record/create.ts";
import { deleteRecord } from "./commands/record/delete.ts";
import { getRecord } from "./commands/record/get.ts";
import { listRecords } from "./commands/record/list.ts";
import { updateRecord } from "./commands/record/update.ts";
import { createSandbox } from "./commands/sandbox/create.ts";
import { deleteSandbox } from "./commands/sandbox/delete.ts";
import { diffSandbox } from "./commands/sandbox/diff.ts";
import { getSandbox } from "./commands/sandbox/get.ts";
import { listSandboxes } from "./commands/sandbox/list.ts";
import { refreshSandbox } from "./commands/sandbox/refresh.ts";
import { setSandbox } from "./commands/sandbox/set.ts";
import { useSandbox } from "./commands/sandbox/use.ts";
import { useParent } from "./commands/sandbox/use-parent.ts";
import { addSandboxUsers } from "./commands/sandbox/users/add.ts";
import { removeSandboxUsers } from "./commands/sandbox/users/remove.ts";
import { createSchema } from "./commands/schema/create.ts";
import { deleteSchema } from "./commands/schema/delete.ts";
import { addField } from "./commands/schema/field/add.ts";
import { deleteField } from "./commands/schema/field/delete.ts";
import { updateField } from "./commands/schema/field/update.ts";
import { generateSchemas } from "./commands/schema/generate.ts";
import { getSchema } from "./commands/schema/get.ts";
import { listSchemas } from "./commands/schema/list.ts";
import { pullSchema } from "./commands/schema/pull.ts";
import { pushSchema } from "./commands/schema/push.ts";
import { addRule } from "./commands/schema/rule/add.ts";
import { deleteRule } from "./commands/schema/rule/delete.ts";
import { listRules } from "./commands/schema/rule/list.ts";
import { updateSchema } from "./commands/schema/update.ts";
import { status } from "./commands/status.ts";
import { previewTemplate } from "./commands/template/preview.ts";
import { pullTemplate } from "./commands/template/pull.ts";
import { pushTemplate } from "./commands/template/push.ts";
import { newTrigger } from "./commands/trigger/new.ts";
import { pushTrigger } from "./commands/trigger/push.ts";
import { listenToWebhooks } from "./commands/webhook/listen.ts";
import { whoami } from "./commands/whoami.ts";
import { withColour } from "./options.ts";
import { paint, tint } from "./terminal/terminal.ts";

const MANUAL = `
Exit codes:
  0    done
  1    something went wrong
  2    the command was not understood
  3    not signed in
  4    the platform refused
  5    the platform cannot be reached, or is too busy
  6    some of many records were refused
  7    there are differences (sandbox diff --exit-code)
  130  interrupted

Environment:
  TENANTRY_PROFILE       as --profile
  TENANTRY_URL           as --url
  TENANTRY_ORGANIZATION  as --organization
  TENANTRY_SANDBOX       as --sandbox
  TENANTRY_TOKEN         an access token to use instead of signing in
  NO_COLOR, FORCE_COLOR  no colours, or colours in a pipe too

An option wins over the environment, that over tenantry.json, and that over the
current profile.`;

const shownArgument = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};

const group = (name: string, summary: string, ...commands: Command[]): Command => {
  const command = withColour(
    new Command(name).summary(summary).description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`),
  );
  for (const each of commands) command.addCommand(each);
  return command.helpCommand(false);
};

/** The program with all commands and common settings. */
const mannered = (command: Command): Command => {
  command.exitOverride().configureHelp({
    styleTitle: paint.bold,
    styleCommandText: paint.cyan,
    styleSubcommandTerm: paint.cyan,
    styleOptionTerm: paint.cyan,
    subcommandTerm: (each) => [each.name(), ...each.registeredArguments.map(shownArgument)].join(" "),
  });
  command.configureOutput({
    outputError: (text, write) =>
      write(text.replace(/^error: (.)/, (_, first: string) => `${tint.red("✗")} ${first.toUpperCase()}`)),
  });
  command.helpOption("-h, --help", "show this help").showSuggestionAfterError();
  for (const each of command.commands) mannered(each);
  return command;
};

export const program = (version: string): Command => {
  const root = withColour(new Command("tenantry"))
    .description("Tenantry on the command line: your organization's records, queries and schema.")
    .version(version, "-V, --version", "show the version");
  root.commandsGroup("Begin:");
  for (const each of [init(), login(), logout(), whoami(), status()]) root.addCommand(each);
  root.commandsGroup("Work:");
  root.addCommand(query());
  root.addCommand(
    group(
      "record",
      "create, read, change and delete records",
      listRecords(),
      getRecord(),
      createRecord(),
      updateRecord(),
      deleteRecord(),
    ),
  );
  root.addCommand(
    group(
      "schema",
      "see and change objects and fields",
      listSchemas(),
      getSchema(),
      createSchema(),
      updateSchema(),
      deleteSchema(),
      group("field", "add, change and delete fields", addField(), updateField(), deleteField()),
      group("rule", "add, show and delete validation rules", addRule(), listRules(), deleteRule()),
      generateSchemas(),
      pullSchema(),
      pushSchema(),
    ),
  );
  root.addCommand(
    group(
      "function",
      "write, push and run functions in Python",
      newFunction(),
      pushFunction(),
      pullFunction(),
      runFunction(),
      functionLogs(),
    ),
  );
  root.addCommand(
    group("email", "send emails and follow them", sendEmail(), searchEmails(), showEmail(), previewEmail()),
  );
  root.addCommand(group("trigger", "write and push Python that runs when records change", newTrigger(), pushTrigger()));
  root.addCommand(group("webhook", "see what vendors send", listenToWebhooks()));
  root.addCommand(
    group(
      "notification",
      "tell users something, and read what one is told",
      sendNotification(),
      listNotifications(),
      readNotifications(),
    ),
  );
  root.addCommand(group("automation", "push and run flows of steps", pushAutomation(), runAutomation()));
  root.addCommand(
    group(
      "template",
      "write, push and preview templates of messages",
      pullTemplate(),
      pushTemplate(),
      previewTemplate(),
    ),
  );
  root.addCommand(
    group(
      "sandbox",
      "work in isolated copies of the organization",
      listSandboxes(),
      getSandbox(),
      createSandbox(),
      setSandbox(),
      refreshSandbox(),
      diffSandbox(),
      deleteSandbox(),
      useSandbox(),
      useParent(),
      group("users", "let users into a sandbox and take them out", addSandboxUsers(), removeSandboxUsers()),
    ),
  );
  root.addCommand(
    group(
      "deploy",
      "bring configuration from a sandbox to production",
      group("app", "bring an app to production", deploySandboxApp()),
    ),
  );
  root.commandsGroup("Around it:");
  root.addCommand(
    group(
      "profile",
      "keep several platforms and accounts apart",
      listProfiles(),
      useProfile(),
      addProfile(),
      removeProfile(),
    ),
  );
  root.addCommand(open());
  root.addHelpCommand(new Command("help").argument("[command]").description("show the help of a command"));
  return mannered(root.addHelpText("after", MANUAL));
};
