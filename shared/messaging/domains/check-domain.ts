import { parse } from "tldts";
import { asciiDomain } from "#contracts/email-address";
import { env } from "#shared/foundation/env";
import { refuseIfAny } from "#shared/foundation/faults";
import { mixesScripts } from "./mixes-scripts.ts";

/** Names that are nobody's (RFC 2606, 6761, 7686, 8375, 9476). */
const reserved = /(?:^|\.)(?:localhost|local|invalid|onion|internal|alt|home\.arpa|in-addr\.arpa|ip6\.arpa)$/;

/** A test platform may use these, whose names exist nowhere else. */
const forTests = /(?:^|\.)(?:test|example)$|(?:^|\.)example\.(?:com|net|org)$/;

/** Whether names can be registered below it, such as `co.uk` and `github.io` (https://publicsuffix.org). */
const isPublicSuffix = (domain: string): boolean => {
  const { publicSuffix, domain: registered } = parse(domain, { allowPrivateDomains: true, extractHostname: false });
  return publicSuffix === domain || registered === null;
};

const isPlatforms = (domain: string): boolean => {
  const own = [new URL(env.issuer()).hostname, env.mailSender().split("@")[1] ?? ""].filter((name) => name !== "");
  return own.some((name) => name === domain || name.endsWith(`.${domain}`) || domain.endsWith(`.${name}`));
};

const problemOf = (domain: string | undefined): string | undefined => {
  if (domain === undefined) return "This is not the name of a domain.";
  if (mixesScripts(domain)) return "A part of this name has letters of several alphabets.";
  if (reserved.test(domain)) return "This name is reserved: it does not exist in the DNS.";
  if (isPlatforms(domain)) return "This domain belongs to the platform.";
  if (!forTests.test(domain) && isPublicSuffix(domain)) return "Names can be registered below this one by anybody.";
  return undefined;
};

/** The domain in ASCII and lower case. Raises `validation_failed`. */
export const checkedDomain = (text: string): string => {
  const domain = asciiDomain(text.normalize("NFC").toLowerCase().replace(/\.$/, ""));
  const msg = problemOf(domain);
  if (msg !== undefined) refuseIfAny([{ loc: ["body", "domain"], msg, type: "domain" }]);
  return domain ?? "";
};
