import { readDefinition } from "#shared/data/records/records";
import { type Definition, parseDefinition } from "#shared/data/schema/automations/automations";
import { Fault } from "#shared/foundation/faults";
import type { Tenant, TenantDatabase } from "#shared/tenant/tenant";

/** An automation that can run. */
export interface Automation {
  readonly id: string;
  readonly name: string;
  readonly definition: Definition;
}

/** The stored form, as far as runs need it. */
export interface StoredAutomation {
  readonly _id: string;
  readonly name?: unknown;
  readonly active?: unknown;
  readonly public?: unknown;
  readonly nodes?: unknown;
  readonly edges?: unknown;
  readonly run_as?: { readonly id?: unknown } | null;
  readonly modified_by?: { readonly id?: unknown };
}

const automationRecords = ({ collection }: Pick<TenantDatabase, "collection">) =>
  collection<StoredAutomation>("automation");

const notFound = (): Fault => new Fault("automation_not_found");

/**
 * What a stored automation says. It was checked when it was saved; a definition that does not parse any more, because
 * it is older than this release, raises `automation_invalid`.
 */
export const automationOf = ({ _id, name, nodes, edges }: StoredAutomation): Automation => {
  const { issues, ...definition } = parseDefinition({ nodes, edges });
  if (issues.length > 0 || definition.nodes.length === 0) throw new Fault("automation_invalid", { issues });
  return { id: _id, name: String(name ?? _id), definition };
};

/** An active automation that the caller may read. Raises `automation_not_found` and `forbidden`. */
export const readableAutomation = async (tenant: Tenant, id: string): Promise<Automation> => {
  const found = await readDefinition(tenant, "automation", { _id: id });
  if (found?.active !== true) throw notFound();
  return automationOf(found);
};

/** An active automation, whoever may read its record. Null if there is none. */
export const activeAutomation = (
  database: Pick<TenantDatabase, "collection">,
  id: string,
): Promise<StoredAutomation | null> => automationRecords(database).findOne({ _id: id, active: true });
