import { createHash } from "node:crypto";
import { indexPlanOf, standardSchemas } from "#shared/data/schema/schema";
import { baseIndexes } from "#shared/tenant/tenant";

/** Names of the migrations of the base database, in their order. New ones are added at the end. */
const baseNames = ["base-indexes"] as const;
/** Names of the migrations of tenants' databases, in their order. New ones are added at the end. */
const tenantNames = [
  "own-indexes-1",
  "standard-model",
  "sealed-values-1",
  "readers-1",
  "sensitive-names-1",
  "optional-function-1",
] as const;

export type BaseName = (typeof baseNames)[number];
export type TenantName = (typeof tenantNames)[number];

/** What a migration brings, if each release that changes it must run it again. */
const contents = (): Partial<Record<BaseName | TenantName, unknown>> => ({
  "base-indexes": baseIndexes,
  "standard-model": standardSchemas(),
});

/** A migration of this release. The steps are in `shared/migrations/steps/`, so that writing a ledger needs none. */
export interface Migration<Name extends string> {
  readonly name: Name;
  /** In the ledger: the name, and a hash of the content of a migration that is run again. */
  readonly id: string;
}

interface Release {
  /** Changes with every migration and every index of a standard object. */
  readonly id: string;
  readonly base: readonly Migration<BaseName>[];
  readonly tenants: readonly Migration<TenantName>[];
}

const hashOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 12);

const read = (): Release => {
  const content = contents();
  const migration = <Name extends BaseName | TenantName>(name: Name): Migration<Name> => ({
    name,
    id: content[name] === undefined ? name : `${name}@${hashOf(content[name])}`,
  });
  const [base, tenants] = [baseNames.map(migration), tenantNames.map(migration)];
  const indexes = standardSchemas().map((schema) => indexPlanOf(schema).fingerprint);
  return { id: hashOf([...base, ...tenants, ...indexes]), base, tenants };
};

let release: Release | undefined;

/** The migrations of this release. */
export const thisRelease = (): Release => {
  release ??= read();
  return release;
};
