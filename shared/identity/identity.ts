/** The entry file of the room: people, how they sign in, their sessions and their apps. */

export { loadAuth } from "./accounts/current-user.ts";
export { register } from "./accounts/registration.ts";
export { grantSuperuser } from "./accounts/superusers.ts";
export { createUser } from "./accounts/users.ts";
export { readAudit } from "./audit.ts";
export { changePassword } from "./credentials/password-change.ts";
export type { LeakedPasswords } from "./credentials/password-policy.ts";
export { askPasswordReset, mailPasswordReset, resetPassword } from "./credentials/password-reset.ts";
export { confirmTotp, disableTotp, enrolTotp } from "./credentials/totp-enrolment.ts";
export { askEmailConfirmation, confirmEmail } from "./mail/email-confirmation.ts";
export { authorizationUrl, authorize } from "./oauth/authorize.ts";
export { adoptClient, createClient, deleteClient, listClients } from "./oauth/client-registration.ts";
export {
  type AskedAuthorization,
  allow,
  type BrowserRequest,
  deny,
  readAuthorization,
} from "./oauth/consent.ts";
export { authorizationServer } from "./oauth/metadata.ts";
export type { AuthorizationRefusal } from "./oauth/redirects.ts";
export { issueAppToken } from "./oauth/token.ts";
export { type Browser, browserSession, findBrowser } from "./sessions/browser-sessions.ts";
export { refreshAccess } from "./sessions/refresh.ts";
export { endSession, listSessions } from "./sessions/session-list.ts";
export { logout, tokenHeaders, tokenSession } from "./sessions/sessions.ts";
export { switchOrganization } from "./sessions/switching.ts";
export { approveSignIn, rejectSignIn, signInStatus } from "./sign-in/approval.ts";
export { findPendingSignIn, listPendingSignIns, type PendingSignIn } from "./sign-in/login-requests.ts";
export { verifySecondFactor } from "./sign-in/second-factor.ts";
export { signIn } from "./sign-in/sign-in.ts";
