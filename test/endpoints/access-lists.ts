import type { Contract } from "#contracts/contract";

/** How the lists below name a route. */
export const nameOf = ({ method, path }: Contract): string => `${method} ${path}`;

/** The routes that need no token, with their status for a request without parameters or with an empty body. */
export const PUBLIC: Readonly<Record<string, number>> = {
  "GET /.well-known/jwks.json": 200,
  "GET /.well-known/oauth-authorization-server": 200,
  "GET /docs": 200,
  "GET /docs/assets/{name}": 404,
  "GET /docs/signed-in": 200,
  "GET /openapi.json": 200,
  "GET /v1/oauth2/authorize": 400,
  "GET /v1/oauth2/login-status": 422,
  "GET /v1/public/unsubscribe/{token}": 404,
  "GET /v1/sign-in/confirm-email": 200,
  "GET /v1/sign-in/forgot-password": 200,
  "GET /v1/sign-in/reset-password": 200,
  "GET /v1/status": 200,
  "POST /v1/auth/email/confirm": 422,
  "POST /v1/billing/hooks": 415,
  // For the signatures of vendors.
  "POST /v1/email-services/emailvendor/webhook/{organization_id}": 415,
  "POST /v1/forgot-password": 422,
  "POST /v1/oauth2/code": 400,
  "POST /v1/oauth2/login": 415,
  "POST /v1/oauth2/refresh": 422,
  "POST /v1/oauth2/token": 400,
  "POST /v1/oauth2/verify-2fa": 422,
  "POST /v1/public/automation/{org_id}/{automation_id}": 404,
  "POST /v1/public/unsubscribe/{token}": 415,
  "POST /v1/register": 422,
  "POST /v1/reset-password": 422,
  "POST /v1/sign-in/approval": 415,
  "POST /v1/sign-in/code": 415,
  "POST /v1/sign-in/confirm-email": 415,
  "POST /v1/sign-in/decision": 415,
  "POST /v1/sign-in/forgot-password": 415,
  "POST /v1/sign-in/password": 415,
  "POST /v1/sign-in/reset-password": 415,
  "POST /v1/sign-in/sign-out": 415,
};

/** Routes for capability tokens. They refuse every access token as if it was none. */
export const CAPABILITY = ["POST /v1/internal/context", "POST /v1/internal/executions/end"];

/** Also refused to administrators. */
export const SUPERUSERS_ONLY = ["GET /v1/billing/usage-runs/{run_id}", "POST /v1/billing/sync-smsvendor-usage"];

export const ADMINISTRATORS_ONLY = [
  "DELETE /v1/auth/client/{id}",
  "DELETE /v1/email-services/domains/{domain}",
  "DELETE /v1/schema/{object_id}/validation-rule/{rule_api_name}",
  "DELETE /v1/schema/{object_id}/{field_name}",
  "DELETE /v1/schema/{object}",
  "DELETE /v1/sandbox/{name}",
  "DELETE /v1/sandbox/{name}/users/{userIds}",
  "GET /v1/auth/client",
  "GET /v1/billing",
  "GET /v1/billing/usage",
  "GET /v1/email-services/domains",
  "GET /v1/email-services/emailvendor/webhooks",
  "GET /v1/sandbox/{name}/diff",
  "PATCH /v1/sandbox/{name}",
  "PATCH /v1/schema",
  "PATCH /v1/schema/field",
  "PATCH /v1/schema/{object_id}/validation-rule/{rule_api_name}",
  "POST /v1/auth/client",
  "POST /v1/auth/client/{id}/adopt",
  "POST /v1/automation/executions",
  "POST /v1/email-services/domains",
  "POST /v1/email-services/domains/{domain}/verify",
  "POST /v1/email-services/emailvendor/messages/{message_id}/resend",
  "POST /v1/sandbox",
  "POST /v1/sandbox/{name}/app/{app}/push/{target}",
  "POST /v1/sandbox/{name}/refresh",
  "POST /v1/sandbox/{name}/users",
  "POST /v1/schema",
  "POST /v1/schema/field",
  "POST /v1/schema/generate/",
  "POST /v1/schema/{object_id}/validation-rule",
];

export const PEOPLE_ONLY = [
  "DELETE /v1/auth/client/{id}",
  "DELETE /v1/auth/session/{id}",
  "GET /v1/auth/approval",
  "GET /v1/auth/audit",
  "GET /v1/auth/client",
  "GET /v1/auth/session",
  "POST /v1/auth/client",
  "POST /v1/auth/client/{id}/adopt",
  "POST /v1/auth/email/confirmation",
  "POST /v1/auth/password",
  "POST /v1/auth/switch",
  "POST /v1/auth/totp",
  "POST /v1/auth/totp/confirm",
  "POST /v1/auth/totp/disable",
  "POST /v1/oauth2/approve-2fa",
  "POST /v1/oauth2/authorize",
  "POST /v1/oauth2/reject-2fa",
];

export const WITHOUT_REQUIRED_SECOND_FACTOR = ["POST /v1/auth/logout", "POST /v1/auth/switch"];

export const TOKEN_IN_BODY = ["POST /v1/status/v1/user/status"];

/** Stay possible in an organization that has not paid, besides every GET. */
export const WITHOUT_PAYMENT = [
  "DELETE /v1/auth/client/{id}",
  "DELETE /v1/auth/session/{id}",
  "POST /v1/auth/client",
  "POST /v1/auth/client/{id}/adopt",
  "POST /v1/auth/email/confirmation",
  "POST /v1/auth/logout",
  "POST /v1/auth/password",
  "POST /v1/auth/switch",
  "POST /v1/auth/totp",
  "POST /v1/auth/totp/confirm",
  "POST /v1/auth/totp/disable",
  "POST /v1/billing/sync-smsvendor-usage",
  "POST /v1/email-services/emailvendor/messages/search",
  "POST /v1/email-services/emailvendor/messages/{message_id}",
  "POST /v1/email-services/preview-template",
  "POST /v1/email-services/strip-html",
  "POST /v1/email-services/validate-email",
  "POST /v1/oauth2/approve-2fa",
  "POST /v1/oauth2/authorize",
  "POST /v1/oauth2/reject-2fa",
  "POST /v1/query",
  "POST /v1/query/docdb",
  "POST /v1/status/availability",
  "POST /v1/status/v1/user/status",
];
