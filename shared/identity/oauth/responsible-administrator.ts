import { Fault } from "#shared/foundation/faults";
import {
  base,
  type Caller,
  isAdministrator,
  type OAuthClient,
  type TenantDatabase,
  type UserRights,
} from "#shared/tenant/tenant";

/** The responsible administrator of a client: who adopted it last, or else who registered it. */
export const responsibleFor = ({ adopted_by, created_by }: OAuthClient): string | null => adopted_by ?? created_by;

const RIGHTS = { is_active: 1, is_account_owner: 1, is_account_admin: 1 };

/** The current rights of users of the organization, by id. Ids without a user are left out. */
export const rightsOf = async (
  { collection }: Pick<TenantDatabase, "collection">,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, UserRights>> => {
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  const found = await collection<UserRights>("user")
    .find({ _id: { $in: wanted } }, { projection: RIGHTS })
    .toArray();
  return new Map(found.map((user) => [user._id, user]));
};

/** Why a client cannot act alone at present. */
export type Problem = "adoption_required" | "run_as_inactive";

/** Null also for a client that never acts alone. */
export const problemOf = (client: OAuthClient, rights: ReadonlyMap<string, UserRights>): Problem | null => {
  const { run_as } = client;
  if (run_as === null) return null;
  const responsible = rights.get(responsibleFor(client) ?? "");
  if (responsible === undefined || !isAdministrator(responsible)) return "adoption_required";
  return rights.get(run_as)?.is_active === true ? null : "run_as_inactive";
};

export interface Refusal {
  /** `authority`: the caller may not do this. `user`: the user to run as does not exist or is not active. */
  readonly kind: "authority" | "user";
  readonly message: string;
}

/** Why the caller may not be responsible for a client that runs as the user, or null. For registering and adopting. */
export const responsibilityRefusal = (
  caller: Caller,
  runAs: string,
  rights: ReadonlyMap<string, UserRights>,
): Refusal | null => {
  const own = rights.get(caller.id);
  if (own === undefined || !isAdministrator(own)) {
    // A superuser may have no user record in this organization that later requests could check.
    const message = "Only an administrator of the organization itself may answer for a client that acts alone.";
    return { kind: "authority", message };
  }
  const user = rights.get(runAs);
  if (user?.is_active !== true) return { kind: "user", message: "There is no active user with this id." };
  if (user.is_account_owner !== true || caller.is_account_owner || caller.is_superuser) return null;
  return { kind: "authority", message: "Only an owner may let a client run as an owner." };
};

const UNANSWERED =
  "The administrator who answers for this client is not active any more, or is no administrator. Another one has " +
  "to adopt it.";

/** The responsible administrator of a client that acts alone. Raises `unauthorized_client` if there is none now. */
export const demandResponsible = async (client: OAuthClient, database: TenantDatabase): Promise<string> => {
  const id = responsibleFor(client);
  const { users } = await base();
  const [rights, identity] = await Promise.all([
    rightsOf(database, [id]),
    id === null ? null : users.findOne({ _id: id, is_active: true }, { projection: { _id: 1 } }),
  ]);
  const user = id === null ? undefined : rights.get(id);
  if (id === null || identity === null || user === undefined || !isAdministrator(user)) {
    throw new Fault("unauthorized_client", { message: UNANSWERED });
  }
  return id;
};
