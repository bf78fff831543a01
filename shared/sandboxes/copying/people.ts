import type { Document } from "mongodb";
import { type ObjectSchema, resolveSchema } from "#shared/data/schema/schema";
import type { OrganizationListEntry } from "#shared/tenant/tenant";
import { listEntryOf } from "../names.ts";
import type { RegisteredSandbox } from "../registry.ts";
import { recordsPipeline } from "./configuration.ts";
import { maskedJson } from "./mask.ts";

/** Belong to the person's devices, or to the organization that the record is in. */
const notCopied = ["notification_tokens", "availability", "organizations", "organization_id", "organization_name"];

/** Active administrators, and of these people those who are active. */
export const isCloned = (alsoUsers: readonly string[]): Document => ({
  is_active: true,
  $or: [{ is_account_owner: true }, { is_account_admin: true }, { _id: { $in: [...alsoUsers] } }],
});

/** The stages that make a sandbox's user records of those of its parent. */
export const usersPipeline = (entry: RegisteredSandbox, schema: ObjectSchema): Document[] => {
  const organization: OrganizationListEntry = listEntryOf(entry);
  const [{ $project: fields }, ...masks] = recordsPipeline(schema) as [{ $project: Document }, ...Document[]];
  const kept = Object.fromEntries(Object.entries(fields).filter(([name]) => !notCopied.includes(name)));
  return [
    // In no schema: sessions from before it stay ended.
    { $project: { ...kept, active_since: 1 } },
    ...masks,
    {
      $set: {
        organizations: { $literal: [organization] },
        organization_id: { $literal: entry._id },
        organization_name: { $literal: entry.name },
      },
    },
  ];
};

/** The stages that make a sandbox's own organization record of that of its parent. It never has a billing account. */
export const organizationPipeline = (entry: RegisteredSandbox): Document[] => {
  const { _id, name, slug, parent_organization_id, sandbox } = entry;
  const own = {
    _id,
    id: _id,
    name,
    slug,
    is_sandbox: true,
    parent_organization_id,
    sandbox_name: sandbox.name,
    status: "active",
    billing: { plan: "free", status: "active" },
    created_date: sandbox.created_date,
    ...(sandbox.description !== null && { description: sandbox.description }),
  };
  const literals = Object.entries(own).map(([field, value]) => [field, { $literal: value }] as const);
  const inherited = ["country", "settings", "modified_date", "created_by", "modified_by", "owner"];
  return [
    { $match: { _id: parent_organization_id } },
    { $project: Object.fromEntries([...inherited, "shared_with", "_readers"].map((field) => [field, 1])) },
    { $set: { ...Object.fromEntries(literals), settings: maskedJson("$settings") } },
  ];
};

/** A stored schema. */
export const schemaOfDocument = (document: Document | undefined): ObjectSchema | null =>
  document === undefined ? null : resolveSchema(document);
