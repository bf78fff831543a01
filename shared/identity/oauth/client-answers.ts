import type * as z from "zod";
import type { oauthClient } from "#contracts/oauth-bodies";
import type { OAuthClient, TenantDatabase } from "#shared/tenant/tenant";
import { problemOf, responsibleFor, rightsOf } from "./responsible-administrator.ts";

type ClientAnswer = z.input<typeof oauthClient>;

/** Clients as administrators see them: with the responsible administrator and whether they can act alone now. */
export const clientAnswers = async (
  database: Pick<TenantDatabase, "collection">,
  clients: readonly OAuthClient[],
): Promise<ClientAnswer[]> => {
  const rights = await rightsOf(
    database,
    clients.flatMap((client) => [client.run_as, responsibleFor(client)]),
  );
  return clients.map((client) => {
    const { _id: client_id, name, type, redirect_uris, scopes, run_as, created_date } = client;
    const problem = problemOf(client, rights);
    return {
      client_id,
      name,
      type,
      redirect_uris,
      scopes,
      run_as,
      responsible: responsibleFor(client),
      usable: problem === null,
      problem,
      created_date: created_date.toISOString(),
    };
  });
};

export const clientAnswer = async (
  database: Pick<TenantDatabase, "collection">,
  client: OAuthClient,
): Promise<ClientAnswer> => {
  const [answer] = await clientAnswers(database, [client]);
  if (answer === undefined) throw new Error("A client has no answer.");
  return answer;
};
