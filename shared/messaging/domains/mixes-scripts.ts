import { domainToUnicode } from "node:url";

const scripts = ["Latin", "Cyrillic", "Greek", "Armenian", "Hebrew", "Arabic", "Thai", "Cherokee", "Georgian"].map(
  (script) => new RegExp(`\\p{Script=${script}}`, "u"),
);

/**
 * Whether a label has letters of several alphabets, as `pаypal` with a Cyrillic а. Registries refuse such names, but
 * labels below them can be anything. Chinese, Japanese and Korean names mix scripts properly (UTS 39 §5.2).
 */
export const mixesScripts = (domain: string): boolean =>
  domainToUnicode(domain)
    .split(".")
    .some((label) => scripts.filter((script) => script.test(label)).length > 1);
