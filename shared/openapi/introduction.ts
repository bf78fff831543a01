/** What holds for every route, in Markdown. */
export const introduction = [
  "Every organization has a database of its own. A request acts in the caller's active organization, which its access token names; " +
    "what belongs to another organization does not exist for it.",
  "**Signing in.** `POST /v1/oauth2/login` answers an access token, which is valid for 15 minutes, and a refresh token. " +
    "Send the access token as `Authorization: Bearer <access_token>`.",
  "**Values.** Names are in snake_case. Ids are opaque strings. Times are ISO 8601 in UTC with milliseconds, such as `2026-01-31T09:30:00.000Z`.",
  "**Errors.** Every error has the same body: `detail` is a sentence for people, `code` a name for programs, `request_id` what to quote " +
    "when asking for help (every answer has it as the header `x-request-id`). Only a 422 differs: its `detail` is a list of every failure found, each with its place.",
  "**Trying again.** POST requests that create or send accept an `Idempotency-Key`. A 429 or 503 says in `Retry-After` how many seconds to wait.",
  "**Versions.** Every path starts with `/v1`. New properties, routes and optional parameters may appear at any time; " +
    "what is to go is announced 180 days before by `Deprecation` and `Sunset` headers.",
].join("\n\n");
