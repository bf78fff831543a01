import { addUser, type HttpReply, http, joinOrganization, registerOrganization, type User } from "../../platform.ts";
import { setUpApp } from "./second-factors.ts";

export const writeSettings = (
  { token, organizationId }: Pick<User, "token" | "organizationId">,
  settings: unknown,
): Promise<HttpReply> => http.patch(`/v1/object/organization/${organizationId}`, { token, body: { settings } });

/** Makes the organization require a second factor, or not. */
export const requireFactor = async (owner: User, required = true): Promise<void> => {
  const reply = await writeSettings(owner, { require_second_factor: required });
  if (reply.status !== 200) throw new Error(reply.text);
};

/** An organization that requires a second factor, with its owner, who has an authenticator app. */
export const strictOrganization = async (): Promise<User> => {
  const owner = await registerOrganization("Strict");
  await setUpApp(owner);
  await requireFactor(owner);
  return owner;
};

/** A member of the first owner's organization, signed in there, and then of another one as well. */
export const alsoIn = async ({ organizationId }: User, other: string): Promise<User> => {
  const user = await addUser(organizationId);
  await joinOrganization(user, other);
  return user;
};
