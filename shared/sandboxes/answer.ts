import type * as z from "zod";
import type { sandbox } from "#contracts/sandbox-bodies";
import type { RegisteredSandbox } from "./registry.ts";

/** A sandbox as the API shows it. */
export const answerOf = (entry: RegisteredSandbox): z.input<typeof sandbox> => {
  const { failure, progress, refreshed_date, ...own } = entry.sandbox;
  return {
    id: entry._id,
    name: entry.name,
    is_sandbox: true,
    parent_organization_id: entry.parent_organization_id,
    sandbox_name: own.name,
    description: own.description,
    status: own.status,
    progress,
    failure: failure === undefined ? null : { ...failure, at: failure.at.toISOString() },
    enable_schedules: own.enable_schedules,
    users: own.users,
    created_date: own.created_date.toISOString(),
    refreshed_date: refreshed_date?.toISOString() ?? null,
  };
};
