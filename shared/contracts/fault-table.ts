/**
 * All errors: code → HTTP status, whether a retry can help (queues and workflows read `retry`), and the default
 * message.
 */
export const faultTable = {
  // 400
  reserved_object: { status: 400, retry: false, message: "This object has routes of its own and cannot be used here." },
  standard_object: {
    status: 400,
    retry: false,
    message: "The platform needs this part of the model, so it cannot be deleted or given another type.",
  },
  invalid_request: { status: 400, retry: false, message: "The request is malformed." },
  invalid_reset_token: { status: 400, retry: false, message: "The token is unknown, used or expired." },
  invalid_confirmation_token: { status: 400, retry: false, message: "The token is unknown, used or expired." },
  invalid_grant: { status: 400, retry: false, message: "The grant is not valid." },
  invalid_scope: { status: 400, retry: false, message: "The scope is not valid." },
  unauthorized_client: { status: 400, retry: false, message: "This client may not use this grant." },
  unsupported_grant_type: { status: 400, retry: false, message: "There is no such grant type." },
  execution_limit: { status: 400, retry: false, message: "The execution has reached one of its limits." },
  too_many_calls: { status: 400, retry: false, message: "The execution has called the platform too often." },
  // 401
  invalid_client: { status: 401, retry: false, message: "The client is unknown or its secret is wrong." },
  unauthenticated: { status: 401, retry: false, message: "A valid bearer access token is required." },
  invalid_credentials: { status: 401, retry: false, message: "The email or the password is wrong." },
  invalid_code: { status: 401, retry: false, message: "The code is wrong or has expired." },
  invalid_refresh_token: { status: 401, retry: false, message: "The refresh token is not valid." },
  invalid_signature: {
    status: 401,
    retry: false,
    message: "No key of this organization has signed this body within the last five minutes.",
  },
  // 402
  payment_required: {
    status: 402,
    retry: false,
    message:
      "The organization has not paid, so nothing can be changed. Reading goes on, and everything does as soon as a payment " +
      "arrives. GET /v1/billing shows where payment stands.",
  },
  // 403
  insufficient_scope: { status: 403, retry: false, message: "The scope of this token does not allow it." },
  forbidden: { status: 403, retry: false, message: "You are not allowed to do this." },
  wrong_password: { status: 403, retry: false, message: "The password is wrong." },
  wrong_code: { status: 403, retry: false, message: "The code is wrong or was used already." },
  wrong_number: { status: 403, retry: false, message: "This is not the number that is shown where you sign in." },
  app_not_allowed: {
    status: 403,
    retry: false,
    message: "Only a person who is signed in may do this, not an app on their behalf.",
  },
  registration_closed: { status: 403, retry: false, message: "Registration is closed on this platform." },
  not_a_member: { status: 403, retry: false, message: "You are not a member of this organization." },
  second_factor_required: {
    status: 403,
    retry: false,
    message: "This organization requires a second factor. Sign in again: you will be asked for one.",
  },
  integration_refused: {
    status: 403,
    retry: false,
    message: "The platform does not send requests to this address.",
  },
  organization_suspended: { status: 403, retry: false, message: "This organization is not active." },
  // 404
  organization_not_found: { status: 404, retry: false, message: "There is no such organization." },
  usage_run_not_found: { status: 404, retry: false, message: "There is no such usage run, or not any more." },
  vendor_account_unknown: { status: 404, retry: false, message: "The vendor does not know this account." },
  session_not_found: { status: 404, retry: false, message: "You have no session with this id." },
  client_not_found: { status: 404, retry: false, message: "There is no such client in your organization." },
  sign_in_not_found: { status: 404, retry: false, message: "None of your sign-ins with this id is waiting." },
  route_not_found: { status: 404, retry: false, message: "There is no such route." },
  object_not_found: { status: 404, retry: false, message: "There is no such object in your organization." },
  rule_not_found: { status: 404, retry: false, message: "The object has no such validation rule." },
  field_not_found: { status: 404, retry: false, message: "The object has no such field." },
  record_not_found: { status: 404, retry: false, message: "There is no such record in your organization." },
  function_not_found: { status: 404, retry: false, message: "There is no such active function in your organization." },
  automation_not_found: {
    status: 404,
    retry: false,
    message: "There is no such active automation in your organization.",
  },
  execution_not_found: { status: 404, retry: false, message: "There is no such execution in your organization." },
  integration_not_found: {
    status: 404,
    retry: false,
    message: "Your organization has no active credential of this provider.",
  },
  message_not_found: { status: 404, retry: false, message: "There is no such message in your organization." },
  domain_not_found: { status: 404, retry: false, message: "Your organization has no such domain of senders." },
  sandbox_not_found: { status: 404, retry: false, message: "Your organization has no sandbox with this name." },
  // 405
  method_not_allowed: { status: 405, retry: false, message: "This route does not support that method." },
  // 409
  email_taken: { status: 409, retry: false, message: "An account with this email exists already." },
  email_confirmed: { status: 409, retry: false, message: "The email of this account is confirmed already." },
  email_not_confirmed: {
    status: 409,
    retry: false,
    message:
      "This email is not confirmed yet. Have its owner confirm it, with the mail of the registration or by setting a " +
      "new password as if they had forgotten it; then try again.",
  },
  conflict: {
    status: 409,
    retry: true,
    message: "The record was changed by someone else at the same time; try again.",
  },
  schema_exists: { status: 409, retry: false, message: "There is an object with this api_name already." },
  field_exists: { status: 409, retry: false, message: "The object has a field with this api_name already." },
  rule_exists: { status: 409, retry: false, message: "The object has a validation rule with this api_name already." },
  in_use: { status: 409, retry: false, message: "Other parts of the organization need it." },
  values_do_not_fit: { status: 409, retry: false, message: "Stored records hold values that do not fit." },
  duplicate_value: { status: 409, retry: false, message: "Another record has this unique value already." },
  totp_enabled: { status: 409, retry: false, message: "An authenticator app is set up already; disable it first." },
  totp_not_enabled: {
    status: 409,
    retry: false,
    message: "No authenticator app is set up, or its set-up has expired.",
  },
  sign_in_decided: { status: 409, retry: false, message: "This sign-in has been decided already." },
  sandbox_exists: {
    status: 409,
    retry: false,
    message: "There is a sandbox already whose name begins with the same 12 characters.",
  },
  too_many_sandboxes: {
    status: 409,
    retry: false,
    message: "Your organization has as many sandboxes as it may have; delete one first.",
  },
  sandbox_busy: {
    status: 409,
    retry: true,
    message: "Another operation on this sandbox is running; try again when it has ended.",
  },
  sandbox_run_superseded: {
    status: 409,
    retry: false,
    message: "Another operation on this sandbox has taken the place of this one.",
  },
  domain_taken: {
    status: 409,
    retry: false,
    message: "Another organization has proven this domain, and its record is still in the DNS.",
  },
  sender_not_verified: {
    status: 409,
    retry: false,
    message:
      "The domain of the sender is not verified. An administrator adds it by POST /v1/email-services/domains and proves it.",
  },
  automation_invalid: {
    status: 409,
    retry: false,
    message: "The automation cannot run as it is stored; save it again to see what is wrong with it.",
  },
  vendor_not_configured: {
    status: 409,
    retry: false,
    message: "No vendor is configured that could send this: save an auth_credential record of its kind.",
  },
  message_not_changeable: {
    status: 409,
    retry: false,
    message: "The message cannot be changed in its status.",
  },
  last_owner: { status: 409, retry: false, message: "The last account owner cannot be removed or demoted." },
  idempotency_in_flight: {
    status: 409,
    retry: true,
    message: "A request with this Idempotency-Key is still running; try again shortly.",
  },
  execution_not_replayable: {
    status: 409,
    retry: false,
    message: "This execution cannot be repeated, because its inputs were not kept as they were.",
  },
  storage_full: {
    status: 409,
    retry: false,
    message: "The organization has as many files as it may have. Delete documents that nobody needs.",
  },
  // 413, 415
  body_too_large: { status: 413, retry: false, message: "The body is larger than this route accepts." },
  unsupported_media_type: { status: 415, retry: false, message: "This route does not accept that content type." },
  // 422
  // In a queue: the message becomes a dead letter, until a release can read the body.
  unreadable_webhook: { status: 422, retry: true, message: "The body of the webhook breaks its format." },
  validation_failed: { status: 422, retry: false, message: "The request does not fit its contract." },
  // 429
  too_many_queries: {
    status: 429,
    retry: true,
    message: "Too many slow queries of your organization are running; try again when one has ended.",
  },
  too_many_functions: {
    status: 429,
    retry: true,
    message: "Too many functions of your organization are running; try again when one has ended.",
  },
  too_many_attempts: { status: 429, retry: true, message: "Too many attempts; wait before trying again." },
  too_many_idempotency_keys: {
    status: 429,
    retry: true,
    message:
      "The organization has used the maximum of Idempotency-Keys in the last 24 hours; wait, or send without one.",
  },
  // 500, 502, 503
  // Not a 429: SendGrid drops a mail after any 4xx, and sends it again for three days after a 5xx:
  // https://support.sendgrid.com/hc/en-us/articles/46513815674395-Understanding-Inbound-Parse-Webhook-Retry-Logic
  too_many_webhooks: {
    status: 503,
    retry: true,
    message: "This address sends too many webhooks; try again in a minute.",
  },
  integration_failed: {
    status: 502,
    retry: true,
    message: "The other system did not answer, or not in a way that can be used.",
  },
  internal_error: {
    status: 500,
    retry: true,
    message: "Something went wrong on our side; quote the request id to us.",
  },
  vendor_unavailable: {
    status: 503,
    retry: true,
    message: "A vendor does not answer; the platform tries again later.",
  },
  in_progress: { status: 503, retry: true, message: "Somebody else is doing this; the platform tries again later." },
  sandbox_failed: { status: 503, retry: true, message: "The operation on the sandbox has failed; try again." },
  sandbox_refreshing: {
    status: 503,
    retry: true,
    message: "This sandbox is being refreshed; try again in a moment.",
  },
  dependency_unavailable: {
    status: 503,
    retry: true,
    message: "A service that the platform depends on does not answer.",
  },
  database_unavailable: { status: 503, retry: true, message: "The database cannot be reached right now; try again." },
} as const satisfies Record<string, FaultEntry>;

export interface FaultEntry {
  readonly status: number;
  readonly retry: boolean;
  readonly message: string;
}

export type FaultCode = keyof typeof faultTable;
