/** Who people are and how they sign in: what endpoints and operations use of this domain. */
export { approveSignIn, rejectSignIn, signInStatus } from "./approval.ts";
export { readAudit } from "./audit-log.ts";
export { type Browser, browserSession, findBrowser } from "./browser-sessions.ts";
export { askEmailConfirmation, confirmEmail } from "./email-confirmation.ts";
export { loadAuth } from "./load.ts";
export {
  type AskedAuthorization,
  allow,
  type BrowserRequest,
  deny,
  readAuthorization,
} from "./oauth/authorization-page.ts";
export { authorizationUrl, authorize } from "./oauth/authorize.ts";
export { authorizationServer } from "./oauth/metadata.ts";
export type { AuthorizationRefusal } from "./oauth/redirects.ts";
export { adoptClient, createClient, deleteClient, listClients } from "./oauth/registration.ts";
export { issueAppToken } from "./oauth/token.ts";
export { changePassword } from "./password-change.ts";
export type { LeakedPasswords } from "./password-policy.ts";
export { askPasswordReset, resetPassword } from "./password-reset.ts";
export { listPendingSignIns } from "./pending-sign-ins.ts";
export { refreshAccess } from "./refresh.ts";
export { register } from "./registration.ts";
export { verifySecondFactor } from "./second-factor.ts";
export { endSession, listSessions } from "./session-list.ts";
export { logout, tokenHeaders, tokenSession } from "./sessions.ts";
export { signIn } from "./sign-in.ts";
export { grantSuperuser } from "./superusers.ts";
export { switchOrganization } from "./switching.ts";
export { confirmTotp, disableTotp, enrolTotp } from "./totp-enrolment.ts";
export { createUser } from "./users.ts";
export { type WaitingSignIn, waitingSignIn } from "./waiting-sign-in.ts";
