/** Who people are and how they sign in: what endpoints and operations use of this domain. */
export { approveSignIn, rejectSignIn, signInStatus } from "./approval.ts";
export { loadAuth } from "./load.ts";
export { authorizationUrl, authorize } from "./oauth/authorize.ts";
export { authorizationServer } from "./oauth/metadata.ts";
export { createClient, deleteClient, listClients } from "./oauth/registration.ts";
export { issueAppToken } from "./oauth/token.ts";
export { refreshAccess } from "./refresh.ts";
export { register } from "./registration.ts";
export { verifySecondFactor } from "./second-factor.ts";
export { logout, tokenHeaders } from "./sessions.ts";
export { signIn } from "./sign-in.ts";
export { grantSuperuser } from "./superusers.ts";
export { switchOrganization } from "./switching.ts";
export { confirmTotp, disableTotp, enrolTotp } from "./totp-enrolment.ts";
export { createUser } from "./users.ts";
