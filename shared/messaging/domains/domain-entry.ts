import { base, type SenderDomainEntry, type TenantDatabase } from "#shared/tenant/tenant";

/** Claims of an organization, under which nothing is known of those of others. */
export const claimId = (organizationId: string, domain: string): string => `${organizationId} ${domain}`;

/** The claims of one organization, by domain. */
export const claimsOf = async (organizationId: string): Promise<SenderDomainEntry[]> => {
  const { senderDomains } = await base();
  // "!" follows the blank, so that these are the ids that begin with the organization's.
  return senderDomains
    .find({ _id: { $gte: `${organizationId} `, $lt: `${organizationId}!` } })
    .sort({ _id: 1 })
    .toArray();
};

/** The organization that has proven a domain. */
export const holderOf = async (domain: string): Promise<string | null> => {
  const { domainHolders } = await base();
  return (await domainHolders.findOne({ _id: domain }))?.organization_id ?? null;
};

/**
 * Whether mail of an organization may leave in the name of an address: its domain, exactly, is the organization's. To
 * be asked at acceptance and again before a vendor is called.
 */
export const isVerifiedSender = async (
  { organization_id }: Pick<TenantDatabase, "organization_id">,
  address: string,
): Promise<boolean> => (await holderOf(address.slice(address.lastIndexOf("@") + 1))) === organization_id;
