/**
 * The pages on which people sign in in a browser, let apps act for them, set a new password and confirm their email.
 */
export { approvalStep } from "./approval-step.ts";
export { authorizationPage } from "./authorization-page.ts";
export { codeStep } from "./code-step.ts";
export { decisionStep } from "./decision-step.ts";
export { confirmEmailPage, confirmEmailStep } from "./email-confirmation.ts";
export { forgotPasswordPage, forgotPasswordStep } from "./forgot-password.ts";
export { passwordStep } from "./password-step.ts";
export { resetPasswordPage, resetPasswordStep } from "./reset-password.ts";
export { signOutStep } from "./sign-out-step.ts";
