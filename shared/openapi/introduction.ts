/** What applies to every route, in Markdown. */
export const introduction = [
  "Every organization has a database of its own. A request acts in the caller's active organization, which its " +
    "access token names. Data of other organizations cannot be reached.",
  "**Signing in.** `POST /v1/oauth2/login` gives an access token, which is valid for 15 minutes, and a refresh " +
    "token. Send the access token as `Authorization: Bearer <access_token>`.",
  "**Values.** Names are in snake_case. Ids are opaque strings. Times are ISO 8601 in UTC with milliseconds, " +
    "such as `2026-01-31T09:30:00.000Z`.",
  "**Errors.** All errors have the same body: `detail` is a sentence for people, `code` a name for programs, " +
    "`request_id` the id to quote when asking for help (all replies have it in the header `x-request-id`). In a " +
    "422 `detail` is a list of all issues, each with its position.",
  "**Repeating requests.** POST requests that create or send accept an `Idempotency-Key`. `Retry-After` of a 429 " +
    "or 503 is the number of seconds to wait.",
  "**Versions.** Every path starts with `/v1`. New properties, routes and optional parameters may appear at any " +
    "time; removals are announced 180 days before by `Deprecation` and `Sunset` headers.",
].join("\n\n");
