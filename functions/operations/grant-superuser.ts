import { grantSuperuser as contract } from "#contracts/operations";
import { grantSuperuser } from "#shared/identity/identity";
import { operation } from "#shared/lambda/operation/operation";

export const handler = operation(contract)(async ({ email, granted }, { request_id }) => {
  const identity = await grantSuperuser(email, granted, request_id);
  return { id: identity._id, email: identity.email, is_superuser: identity.is_superuser };
});
