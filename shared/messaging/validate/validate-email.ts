import { type EmailAddress, parseAddress } from "#contracts/email-address";
import { didYouMean } from "#shared/foundation/did-you-mean";
import { hostAddresses, mailExchanges } from "#shared/foundation/outbound/dns";
import { mixesScripts } from "../domains/mixes-scripts.ts";
import { disposableDomains, mailboxDomains, roles } from "./known-domains.ts";

interface Checks {
  syntax: boolean;
  domain: boolean;
  mx?: boolean | null;
  role: boolean;
  disposable: boolean;
}

interface Validation {
  readonly email: string;
  readonly is_valid: boolean;
  readonly normalized_email: string | null;
  readonly reason?: string;
  readonly suggestion?: string;
  readonly checks: Checks;
}

/** For all questions about one domain. */
const DNS_MS = 3_000;

/** RFC 2606, RFC 6761: names that can have no mail. */
const RESERVED = /(?:^|\.)(?:test|invalid|localhost|local|onion|internal|alt|arpa)$/;

/** Whether a domain takes mail (RFC 5321 §5.1, RFC 7505); null if the DNS gives no answer. */
const takesMail = async (domain: string): Promise<boolean | null> => {
  const { found } = await mailExchanges(domain, DNS_MS / 2);
  if (found === null) return null;
  // A single empty name says that the domain takes no mail.
  if (found.length > 0) return found.some(({ exchange }) => exchange !== "" && exchange !== ".");
  // Without MX records the host itself takes it.
  const addresses = await hostAddresses(domain, DNS_MS / 2);
  return addresses.found === null ? null : addresses.found.length > 0;
};

const isDisposable = (domain: string): boolean => {
  const labels = domain.split(".");
  return labels.some((_, index) => disposableDomains.has(labels.slice(index).join(".")));
};

/** Without a tag after a plus sign. */
const isRole = (local: string): boolean => roles.has((local.toLowerCase().split("+")[0] ?? "").trim());

const CONFUSED: Readonly<Record<string, string>> = { con: "com", cmo: "com", ocm: "com", comm: "com", ner: "net" };

/** The domain that was probably meant: a provider's, or one with a mistyped end. */
const meantDomain = (domain: string): string | undefined => {
  if (mailboxDomains.includes(domain)) return undefined;
  const near = didYouMean(domain, mailboxDomains);
  // In short names one letter makes another real domain, such as mail.de.
  if (near !== undefined && near.length >= 8) return near;
  const end = domain.slice(domain.lastIndexOf(".") + 1);
  const right = CONFUSED[end];
  return right === undefined ? undefined : `${domain.slice(0, -end.length)}${right}`;
};

/** Quotes only where they are needed, and the domain in ASCII. The local part keeps its case (RFC 5321 §2.4). */
const normalized = ({ local, isQuoted, domain }: EmailAddress): string => {
  const plain = `${local}@${domain}`;
  if (!isQuoted) return plain;
  const again = parseAddress(plain);
  const same = "address" in again && !again.address.isQuoted && again.address.local === local;
  return same ? plain : `"${local.replaceAll(/["\\]/g, "\\$&")}"@${domain}`;
};

/** Checks an address without asking its mailbox. It never fails. */
export const validateEmail = async (email: string, checksDns: boolean): Promise<Validation> => {
  const text = email.trim().normalize("NFC");
  const parsed = parseAddress(text);
  if ("problem" in parsed) {
    const checks = { syntax: false, domain: false, ...(checksDns && { mx: null }), role: false, disposable: false };
    return { email, is_valid: false, normalized_email: null, reason: parsed.problem, checks };
  }
  const { address } = parsed;
  const { local, domain } = address;
  const isName = !RESERVED.test(domain) && !mixesScripts(domain);
  const mx = checksDns && isName ? await takesMail(domain) : null;
  const meant = meantDomain(domain);
  const reason = isName
    ? mx === false && "The domain takes no mail."
    : mixesScripts(domain)
      ? "The domain has letters of several alphabets in one name."
      : "The domain is reserved and takes no mail.";
  return {
    email,
    is_valid: isName && mx !== false,
    normalized_email: normalized(address),
    ...(reason !== false && { reason }),
    ...(meant !== undefined && { suggestion: normalized({ ...address, domain: meant }) }),
    checks: {
      syntax: true,
      domain: isName,
      ...(checksDns && { mx }),
      role: isRole(local),
      disposable: isDisposable(domain),
    },
  };
};
