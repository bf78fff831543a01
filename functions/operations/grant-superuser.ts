import { grantSuperuser as contract } from "#contracts/operations";
import { grantSuperuser } from "#shared/identity/identity";
import { operation } from "#shared/operations/operations";

export const handler = operation(contract)(async ({ email, granted }) => {
  const identity = await grantSuperuser(email, granted);
  return { id: identity._id, email: identity.email, is_superuser: identity.is_superuser };
});
