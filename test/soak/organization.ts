import { claimsOf } from "../setup/forge-token.ts";
import type { Send } from "./http.ts";

export interface Organization {
  readonly email: string;
  readonly user: string;
  readonly token: string;
  readonly refreshToken: string;
  /** Ids of leads, including those that the traffic creates. */
  readonly leads: string[];
}

export const PASSWORD = "correct horse battery staple";
const LEADS = 20;

const expectStatus = ({ status, text }: { status: number; text: string }, expected: number): unknown => {
  if (status !== expected) throw new Error(`The soak could not be prepared: ${status} ${text.slice(0, 500)}`);
  return JSON.parse(text);
};

/** Registers an organization with some leads. */
export const organization = async (send: Send, name: string): Promise<Organization> => {
  const email = `${name}@soak.test`;
  const body = { organization_name: `Soak ${name}`, email, password: PASSWORD };
  const { access_token: token, refresh_token: refreshToken } = expectStatus(
    await send({ method: "POST", path: "/v1/register", body }),
    201,
  ) as { access_token: string; refresh_token: string };
  const records = Array.from({ length: LEADS }, (_, index) => ({
    name: `Lead ${index}`,
    status: index % 2 === 0 ? "New" : "Working",
    email: `lead-${index}@${name}.test`,
    amount: (index * 7919) % 10_000,
  }));
  const made = expectStatus(await send({ method: "POST", path: "/v1/object/lead", body: records, token }), 201) as {
    id: string;
  }[];
  return { email, user: String(claimsOf(token).sub), token, refreshToken, leads: made.map(({ id }) => id) };
};
