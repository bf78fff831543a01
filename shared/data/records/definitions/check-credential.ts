import { vendorValues } from "#contracts/vendor-credentials";
import type { Issue } from "#shared/foundation/faults";
import type { CheckedWrite } from "../check-rules.ts";
import type { DefinitionCheck } from "./definitions.ts";

const isOrigin = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  return plain && url.pathname === "/" && url.search === "" && url.hash === "";
};

const issuesOf = ({ before, after, loc }: CheckedWrite): Issue[] => {
  const address: unknown = after?.base_url;
  if (address === before?.base_url) return [];
  if (typeof address !== "string") return [];
  if (!isOrigin(address)) {
    const msg = "Expected an origin such as https://api.example.com, without a path.";
    return [{ loc: [...loc, "base_url"], msg, type: "origin", input: address.slice(0, 300) }];
  }
  // Nobody may read the value. With another address it would be sent to whoever has that one.
  if (before === null || after?.value !== before.value) return [];
  const msg = "The address of a credential changes only together with its value: send `value` too.";
  return [{ loc: [...loc, "base_url"], msg, type: "value_required" }];
};

const valueRequired = (loc: Issue["loc"], field: string): Issue => {
  const msg = `The ${field} of a vendor's credential changes only together with its value: send \`value\` too.`;
  return { loc: [...loc, field], msg, type: "value_required" };
};

/** The vendor and the form of the value of a credential that messages are sent with. */
const vendorIssues = ({ before, after, loc }: CheckedWrite): Issue[] => {
  if (after === null) return [];
  const { kind, provider, value } = after;
  if (typeof kind !== "string" || !Object.hasOwn(vendorValues, kind)) return [];
  const forms = vendorValues[kind] ?? {};
  const form = typeof provider === "string" && Object.hasOwn(forms, provider) ? forms[provider] : undefined;
  if (form === undefined) {
    const msg = `Credentials of the kind ${kind} have one of these providers: ${Object.keys(forms).join(", ")}.`;
    return [{ loc: [...loc, "provider"], msg, type: "provider", input: String(provider).slice(0, 100) }];
  }
  if (before !== null && value === before.value) {
    // Nobody can read the value to see whether it fits.
    return (["kind", "provider"] as const).flatMap((field) =>
      after[field] === before[field] ? [] : [valueRequired(loc, field)],
    );
  }
  const { success, error } = form.safeParse(value);
  if (success) return [];
  // Without what was sent: it is secret.
  return error.issues.map(({ path, message }) => ({
    loc: [...loc, "value", ...path.filter((part) => typeof part !== "symbol")],
    msg: message,
    type: "credential",
  }));
};

export const checkCredentials: DefinitionCheck = async (_target, writes) =>
  writes.flatMap((write) => [...issuesOf(write), ...vendorIssues(write)]);
