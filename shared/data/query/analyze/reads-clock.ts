import type { Query } from "../parse/syntax.ts";

const isNow = (node: object): boolean => "date" in node && node.date === "now";

const mentionsNow = (node: unknown): boolean =>
  typeof node === "object" && node !== null && (isNow(node) || Object.values(node).some(mentionsNow));

/** `now` is another moment each time, so that no answer to the query can serve twice. */
export const readsClock = ({ where, having, joins }: Query): boolean => [where, having, joins].some(mentionsNow);
