import type * as z from "zod";
import type { userSelector } from "#contracts/sandbox-bodies";
import type { Tenant } from "#shared/tenant/tenant";

type Selector = z.output<typeof userSelector>;
type One = Exclude<Selector, readonly unknown[]>;

/** An id, or an email with an @. */
const textOf = (one: One): string => {
  if (typeof one === "string") return one;
  if ("email" in one) return one.email;
  return "user_id" in one ? one.user_id : one.id;
};

/** As the selector means it: emails are recognized by their @, also as an `id`. */
const emailOf = (text: string): string | undefined =>
  text.includes("@") ? text.normalize("NFC").toLowerCase() : undefined;

interface Found {
  readonly _id: string;
  readonly email: string;
}

export interface SelectedUsers {
  readonly users: readonly Found[];
  /** The selectors that name no active user, as they were given. */
  readonly notFound: readonly string[];
}

/** The active users of an organization that a selector names. */
export const selectUsers = async (
  { collection }: Pick<Tenant, "collection">,
  selector: Selector,
): Promise<SelectedUsers> => {
  const texts = [...new Set((Array.isArray(selector) ? selector : [selector]).map(textOf))];
  const emails = texts.flatMap((text) => emailOf(text) ?? []);
  const ids = texts.filter((text) => emailOf(text) === undefined);
  const users = await collection<Found>("user")
    .find({ is_active: true, $or: [{ _id: { $in: ids } }, { email: { $in: emails } }] }, { projection: { email: 1 } })
    .toArray();
  const isFound = (text: string): boolean => users.some(({ _id, email }) => _id === text || email === emailOf(text));
  return { users, notFound: texts.filter((text) => !isFound(text)) };
};
