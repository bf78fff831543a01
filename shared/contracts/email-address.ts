import * as z from "zod";

export interface EmailAddress {
  /** As it was written, without quotes. */
  readonly local: string;
  readonly isQuoted: boolean;
  /** In ASCII (punycode) and lower case. */
  readonly domain: string;
}

export type ParsedAddress = { readonly address: EmailAddress } | { readonly problem: string };

/** Octets (RFC 5321 §4.5.3.1, and erratum 1690 of RFC 3696). */
const LONGEST_LOCAL = 64;
const LONGEST_DOMAIN = 253;
const LONGEST_ADDRESS = 254;

/** RFC 5322 §3.2.3, and the letters of RFC 6532. */
const DOT_ATOM = /^[\w!#$%&'*+/=?^`{|}~\-\u0080-\u{10ffff}]+(?:\.[\w!#$%&'*+/=?^`{|}~\-\u0080-\u{10ffff}]+)*$/u;
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*)"$/;
const DOMAIN_TEXT = /^[\p{L}\p{M}\p{N}\-.\u3002\uff0e\uff61]+$/u;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const octets = (text: string): number => new TextEncoder().encode(text).length;

/** The domain in ASCII (UTS 46) and lower case; undefined if it is no host name of at least two labels. */
export const asciiDomain = (text: string): string | undefined => {
  if (text.length > LONGEST_DOMAIN || !DOMAIN_TEXT.test(text)) return undefined;
  const url = `http://${text}/`;
  const domain = URL.canParse(url) ? new URL(url).hostname : "";
  const labels = domain.split(".");
  const isName = labels.length > 1 && labels.every((label) => LABEL.test(label)) && domain.length <= LONGEST_DOMAIN;
  // The last label of a name is never a number. It would be an address of IPv4.
  return isName && !/^\d+$/.test(labels.at(-1) ?? "") ? domain : undefined;
};

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ud800-\udfff]/u;

const problemOfLocal = (written: string): string | undefined => {
  if (written === "") return "There is nothing before the @.";
  if (octets(written) > LONGEST_LOCAL) return `The part before the @ has more than ${LONGEST_LOCAL} bytes.`;
  if (DOT_ATOM.test(written) || QUOTED.test(written)) return undefined;
  if (/^\.|\.\.|\.$/.test(written)) return "A dot is misplaced before the @.";
  return "The part before the @ has characters that are not allowed there.";
};

/**
 * The parts of an address of RFC 5321 and 6531: with an international domain, an international or a quoted local part.
 * Address literals, comments and names beside the address are refused.
 */
export const parseAddress = (text: string): ParsedAddress => {
  const at = text.lastIndexOf("@");
  if (at < 0) return { problem: "There is no @." };
  if (UNSAFE.test(text)) return { problem: "There are control characters or invisible ones." };
  const written = text.slice(0, at);
  const problem = problemOfLocal(written);
  if (problem !== undefined) return { problem };
  const domain = asciiDomain(text.slice(at + 1));
  if (domain === undefined) return { problem: "There is no domain after the @." };
  if (octets(written) + 1 + domain.length > LONGEST_ADDRESS) {
    return { problem: `The address has more than ${LONGEST_ADDRESS} bytes.` };
  }
  const quoted = QUOTED.exec(written)?.[1];
  const local = quoted === undefined ? written : quoted.replaceAll(/\\(.)/g, "$1");
  return { address: { local, isQuoted: quoted !== undefined, domain } };
};

const ASCII = /^[\x21-\x7e]+$/;

/**
 * An address that mail can be sent to or from: in lower case, with its domain in ASCII. Quoted and international local
 * parts are refused, because not all vendors carry them.
 */
export const mailAddress = z
  .string()
  .trim()
  .normalize("NFC")
  .max(320)
  .transform((text, context) => {
    const parsed = parseAddress(text);
    if ("problem" in parsed) {
      context.addIssue({ code: "custom", message: `A valid email address is required. ${parsed.problem}` });
      return z.NEVER;
    }
    const { local, isQuoted, domain } = parsed.address;
    if (isQuoted || !ASCII.test(local)) {
      const message = "Addresses with quotes or international letters before the @ cannot be used for sending.";
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    }
    return `${local.toLowerCase()}@${domain}`;
  })
  .describe("An email address. Letter case and surrounding blanks are ignored.")
  .meta({ examples: ["ada@example.com"] });
