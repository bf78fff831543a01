import { asciiDomain } from "#contracts/email-address";
import { now } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { Fault, refuseIfAny } from "#shared/foundation/faults";
import { textRecords } from "#shared/foundation/outbound/dns";
import { opaqueToken } from "#shared/foundation/tokens/tokens";
import { base, type SenderDomainEntry, type Tenant } from "#shared/tenant/tenant";
import { originOf, type TrailAction, writeEntryAhead } from "#shared/trail/trail";
import { checkedDomain } from "./check-domain.ts";
import { claimId, claimsOf, holderOf } from "./domain-entry.ts";

/** Of one organization. */
const MOST_DOMAINS = 50;

const DNS_MS = 5_000;

interface SenderDomain {
  readonly domain: string;
  readonly status: "pending" | "verified";
  readonly record: { readonly type: "TXT"; readonly name: string; readonly value: string };
  readonly problem?: string;
  readonly created_date: string;
  readonly verified_date?: string;
  readonly checked_date?: string;
}

const valueFor = ({ token }: SenderDomainEntry): string => `tenantry-verification=${token}`;
const recordName = (domain: string): string => `_tenantry.${domain}`;

const shown = (entry: SenderDomainEntry): SenderDomain => ({
  domain: entry.domain,
  status: entry.verified_date === undefined ? "pending" : "verified",
  record: { type: "TXT", name: recordName(entry.domain), value: valueFor(entry) },
  ...(entry.problem !== undefined && { problem: entry.problem }),
  created_date: entry.created_date.toISOString(),
  ...(entry.verified_date !== undefined && { verified_date: entry.verified_date.toISOString() }),
  ...(entry.checked_date !== undefined && { checked_date: entry.checked_date.toISOString() }),
});

const note = (tenant: Tenant, action: TrailAction, domain: string): Promise<void> =>
  writeEntryAhead(tenant, originOf(tenant), { action, called: domain, details: { domain } });

export const listDomains = async ({ organization_id }: Tenant): Promise<SenderDomain[]> =>
  (await claimsOf(organization_id)).map(shown);

/** Adds a domain that is still to be proven. Raises `validation_failed`. */
export const addDomain = async (
  tenant: Tenant,
  text: string,
): Promise<{ readonly isNew: boolean; readonly domain: SenderDomain }> => {
  const refuse = (msg: string, type: string) => refuseIfAny([{ loc: ["body", "domain"], msg, type }]);
  if (tenant.is_sandbox) refuse("Nothing leaves a sandbox, so it has no domains of senders.", "sandbox");
  const domain = checkedDomain(text);
  const { organization_id } = tenant;
  const claims = await claimsOf(organization_id);
  const known = claims.find((claim) => claim.domain === domain);
  if (known !== undefined) return { isNew: false, domain: shown(known) };
  if (claims.length >= MOST_DOMAINS) refuse(`An organization has at most ${MOST_DOMAINS} domains.`, "too_many_domains");
  const entry: SenderDomainEntry = {
    _id: claimId(organization_id, domain),
    organization_id,
    domain,
    token: opaqueToken("dv"),
    created_date: now(),
  };
  await note(tenant, "domain_added", domain);
  const { senderDomains } = await base();
  try {
    await senderDomains.insertOne(entry);
  } catch (error) {
    // The same request at the same time.
    if (!isDuplicateKey(error)) throw error;
    const other = await senderDomains.findOne({ _id: entry._id });
    return { isNew: false, domain: shown(other ?? entry) };
  }
  return { isNew: true, domain: shown(entry) };
};

const claimOf = async ({ organization_id }: Tenant, text: string): Promise<SenderDomainEntry> => {
  const domain = asciiDomain(text.toLowerCase()) ?? "";
  const { senderDomains } = await base();
  const claim = await senderDomains.findOne({ _id: claimId(organization_id, domain) });
  if (claim === null) throw new Fault("domain_not_found");
  return claim;
};

/** What was found instead of the record; null if it is there. Raises `dependency_unavailable`. */
const missing = async (
  claim: SenderDomainEntry,
): Promise<{ readonly problem: string | null; texts: readonly string[] }> => {
  const { found } = await textRecords(recordName(claim.domain), DNS_MS);
  if (found === null) {
    const message = `The DNS has given no answer about ${recordName(claim.domain)}; try again later.`;
    throw new Fault("dependency_unavailable", { message, headers: { "retry-after": "60" } });
  }
  const texts = found.map((text) => text.trim());
  if (texts.includes(valueFor(claim))) return { problem: null, texts };
  const name = recordName(claim.domain);
  const problem = texts.length === 0 ? `There is no TXT record ${name}.` : `No TXT record ${name} has this value.`;
  return { problem, texts };
};

/** Ends the hold of an organization whose record is gone. False if it is still there. */
const takeFrom = async (holder: string, domain: string, texts: readonly string[]): Promise<boolean> => {
  const { senderDomains, domainHolders } = await base();
  const claim = await senderDomains.findOne({ _id: claimId(holder, domain) });
  if (claim !== null && texts.includes(valueFor(claim))) return false;
  await domainHolders.deleteOne({ _id: domain, organization_id: holder });
  const problem = "Another organization has proven this domain, and your record is gone.";
  await senderDomains.updateOne(
    { _id: claimId(holder, domain) },
    { $set: { problem, checked_date: now() }, $unset: { verified_date: "" } },
  );
  return true;
};

/** Makes the organization the holder of a domain. Raises `domain_taken`. */
const hold = async ({ organization_id }: Tenant, domain: string, texts: readonly string[]): Promise<void> => {
  const { domainHolders } = await base();
  // Twice: another organization may be faster.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const holder = await holderOf(domain);
    if (holder === organization_id) return;
    if (holder !== null && !(await takeFrom(holder, domain, texts))) break;
    try {
      await domainHolders.insertOne({ _id: domain, organization_id, since: now() });
      return;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }
  throw new Fault("domain_taken");
};

/**
 * Asks the DNS for the record of a domain. Without it the domain is pending, also if it was verified before. Raises
 * `domain_not_found`, `domain_taken` and `dependency_unavailable`.
 */
export const verifyDomain = async (tenant: Tenant, text: string): Promise<SenderDomain> => {
  const claim = await claimOf(tenant, text);
  const { domain, _id } = claim;
  const { problem, texts } = await missing(claim);
  const { senderDomains, domainHolders } = await base();
  const checked_date = now();
  if (problem !== null) {
    if (claim.verified_date !== undefined) await note(tenant, "domain_lost", domain);
    await domainHolders.deleteOne({ _id: domain, organization_id: tenant.organization_id });
    const { verified_date: _, ...pending } = { ...claim, checked_date, problem };
    await senderDomains.updateOne({ _id }, { $set: { checked_date, problem }, $unset: { verified_date: "" } });
    return shown(pending);
  }
  if (claim.verified_date === undefined) await note(tenant, "domain_verified", domain);
  await hold(tenant, domain, texts);
  const verified_date = claim.verified_date ?? checked_date;
  const { problem: _, ...verified } = { ...claim, checked_date, verified_date };
  await senderDomains.updateOne({ _id }, { $set: { checked_date, verified_date }, $unset: { problem: "" } });
  return shown(verified);
};

/** Raises `domain_not_found`. */
export const removeDomain = async (tenant: Tenant, text: string): Promise<void> => {
  const { _id, domain } = await claimOf(tenant, text);
  await note(tenant, "domain_removed", domain);
  const { senderDomains, domainHolders } = await base();
  await domainHolders.deleteOne({ _id: domain, organization_id: tenant.organization_id });
  await senderDomains.deleteOne({ _id });
};
