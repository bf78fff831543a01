import { SANDBOX_API_NAME_LENGTH } from "#contracts/sandbox-bodies";
import type { OrganizationEntry, OrganizationListEntry } from "#shared/tenant/tenant";

/** The part of the name that the id contains. */
const apiNameOf = (name: string): string => name.slice(0, SANDBOX_API_NAME_LENGTH);

/** Also the name of the sandbox's database. */
export const sandboxIdOf = (parentId: string, name: string): string => `${parentId}_s_${apiNameOf(name)}`;

export const displayNameOf = (parentName: string, name: string): string => `${parentName} (Sandbox: ${name})`;

/** No registered organization's slug has two hyphens in a row. */
export const slugOf = (parentSlug: string, name: string): string => `${parentSlug}--${apiNameOf(name)}`;

/** The sandbox in the lists of its users. */
export const listEntryOf = ({ _id, name, sandbox }: OrganizationEntry): OrganizationListEntry => {
  const description = sandbox?.description ?? null;
  return { id: _id, name, ...(description === null ? {} : { description }) };
};
