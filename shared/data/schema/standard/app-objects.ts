import type { ObjectSchema } from "../object-schema.ts";
import { VALUE_LIST_OBJECT } from "../value-lists.ts";
import {
  belongsToApp,
  boolean,
  dateTime,
  email,
  json,
  list,
  longText,
  lookup,
  multiSelect,
  number,
  oneOf,
  standardObject,
  text,
} from "./define.ts";

const code = (description: string) => longText({ required: true, description });

export const appObjects = (): ObjectSchema[] => [
  standardObject("app", {
    description: "A workspace that can be deployed, published and installed.",
    icon: "grid",
    fields: {
      api_name: text({ unique: true }),
      description: text(),
      version: text(),
      icon: text(),
      color: text(),
      active: boolean({ default: true }),
      onboarded: boolean({ default: false }),
      settings: json(),
    },
  }),
  standardObject("app_page", {
    description: "A page or layout of an app.",
    icon: "layout",
    fields: {
      app: lookup("app"),
      api_name: text({ indexed: true }),
      path: text(),
      object_api_name: text(),
      order: number(),
      layout: json(),
    },
  }),
  standardObject("app_metadata", {
    description: "A named value that functions read as configuration.",
    icon: "settings",
    fields: { app: lookup("app"), api_name: text({ unique: true }), value: json({ sensitive: true }) },
  }),
  standardObject(VALUE_LIST_OBJECT, {
    description: "Choices that several fields share. A field names the list by `global_list_name`.",
    icon: "list",
    fields: {
      name: text({ required: true, unique: true, description: "What fields call it." }),
      values: list({ required: true, description: "The choices: up to 1,000 different texts." }),
      app: belongsToApp(),
    },
  }),
  standardObject("automation", {
    description: "A flow of steps drawn as nodes and edges.",
    icon: "flow",
    fields: {
      description: text(),
      active: boolean({ default: false }),
      public: boolean({ default: false, description: "Anyone may run it, without signing in." }),
      run_as: lookup("user", {
        description:
          "As whom it runs when it is run without signing in, with at most the rights of the user who changed it last.",
      }),
      nodes: list({ description: "`[{id, type, name?, config}]`." }),
      edges: list({ description: "`[{from, to, when?}]`." }),
      app: belongsToApp(),
    },
  }),
  standardObject("function", {
    description: "Python code that the platform runs.",
    icon: "code",
    fields: {
      file_name: text({ required: true, unique: true, description: "Ends with `.py`." }),
      description: text(),
      code: code("Defines `async def execute(platform, **kwargs)`."),
      active: boolean({ default: true }),
      timeout_seconds: number({ description: "At most 60." }),
      memory_mb: number({ description: "At most 256." }),
      app: belongsToApp(),
    },
  }),
  standardObject("record_trigger", {
    description: "Python code that runs when records change.",
    icon: "bolt",
    fields: {
      file_name: text({ required: true, unique: true }),
      code: code("Defines `async def execute(context)`."),
      object_api_name: text({ required: true, indexed: true }),
      events: multiSelect(
        ["before_create", "before_update", "before_delete", "after_create", "after_update", "after_delete"],
        { required: true },
      ),
      mode: oneOf(["sync", "async"], { default: "sync" }),
      order: number({ default: 0 }),
      active: boolean({ default: true }),
      app: belongsToApp(),
    },
  }),
  standardObject("scheduled_item", {
    description: "A function or automation that runs at a given time, once or again and again.",
    icon: "clock",
    fields: {
      run_date_time: dateTime({
        required: true,
        indexed: true,
        description: "When it runs; with a `schedule_expression` from when on. A time that has passed: at once.",
      }),
      schedule_expression: text({ description: "For several runs: `rate(1 hour)` or `cron(0 9 ? * MON-FRI *)`." }),
      time_zone: text({ description: "In which `cron(…)` is read, such as `Europe/Berlin`. Otherwise UTC." }),
      enabled_until: dateTime({ description: "With a `schedule_expression`: no run begins after it." }),
      status: oneOf(["Queued", "Running", "Completed", "Failed", "Cancelled"], {
        default: "Queued",
        indexed: true,
        description: "Set it to `Cancelled`, or to `Queued` again. The platform sets the others.",
      }),
      status_history: list({ description: "The last 100 changes: `[{status, at, reason?, execution_id?}]`." }),
      function: lookup("function", { description: "What runs. Either this or `automation`." }),
      automation: lookup("automation"),
      data: json({ description: "The keyword arguments of the function, or the inputs of the automation: an object." }),
      revision: number({ description: "Goes up with each change. A run for an earlier one is dropped." }),
      last_run: dateTime({ description: "With a `schedule_expression`: the time for which it ran last." }),
      execution_id: text({ description: "Of the last run. The `log` record with this id says how it went." }),
    },
  }),
  standardObject("audit_entry", {
    description:
      "The audit trail: who created, changed and deleted what, and what operators of the platform have seen. " +
      "Read by administrators; written by the platform alone, and never changed.",
    icon: "shield",
    fields: {
      at: dateTime({ required: true, indexed: true }),
      action: text({
        required: true,
        description:
          "`created`, `updated` or `deleted` a record; `client_registered`, `client_adopted`, `client_deleted`; " +
          "`sandbox_created`, `sandbox_updated`, `sandbox_refreshed`, `sandbox_deleted`, `sandbox_users_added`, " +
          "`sandbox_users_removed`, `sandbox_app_pushed`; " +
          "`superuser_granted`, `superuser_revoked`, `superuser_entered`, and `superuser_request` for each " +
          "request of an operator of the platform.",
      }),
      by: lookup("user", { description: "Who did it; nobody for a function that an operator ran." }),
      by_email: email(),
      as_superuser: boolean({ default: false, description: "Whether they acted as an operator of the platform." }),
      object: text({ description: "The object of the record that it was done to." }),
      record_id: text({ indexed: true }),
      changes: json({
        description:
          "`{field: {from, to}}`. `{hidden: true}` stands for values that are secret, `{cut: true}` for large ones.",
      }),
      details: json({
        description:
          "What else there is to say. Of a superuser's request: `method`, `route`, `path`, `query`, `body` (of " +
          "requests that read), `status`, `count` and `record_ids` of what was answered.",
      }),
      client_id: text({ description: "The app that acted, if one did." }),
      session_id: text(),
      request_id: text({ description: "The same in all entries of one request." }),
    },
  }),
  standardObject("log", {
    description: "What was executed, and how it went. Written by the platform alone.",
    icon: "list",
    fields: {
      name: text(),
      kind: text({ indexed: true }),
      execution_id: text({ indexed: true }),
      level: oneOf(["debug", "info", "warning", "error"], { default: "info" }),
      status: text(),
      message: longText(),
      place: text({ description: "What invoked it." }),
      inputs: json(),
      output: json(),
      lines: list(),
      error: json({ description: "Of a failed execution: `{kind, type, message, line?, field?, code?}`." }),
      replayable: boolean({ default: false, description: "Whether the inputs were kept as they were." }),
      duration_ms: number(),
      related_to: { type: "json", format: "compound_lookup" },
    },
  }),
];
