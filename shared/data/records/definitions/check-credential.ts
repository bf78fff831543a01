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

export const checkCredentials: DefinitionCheck = async (_target, writes) => writes.flatMap(issuesOf);
