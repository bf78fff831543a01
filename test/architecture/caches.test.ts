import { expect, test } from "vitest";
import { importsOf, type Source, sources } from "./sources.ts";

test("there is one kind of cache, which is bounded by bytes", async () => {
  const own = (await sources("shared", "functions")).filter((source) => importsOf(source).includes("lru-cache"));
  expect(own.map(({ path }) => path)).toEqual(["shared/foundation/bounded-cache.ts"]);
});

/** Files with caches whose keys need no generation, and why. */
const needNone: Readonly<Record<string, string>> = {
  "shared/automation/engine/expressions.ts": "by the text of an expression",
  "shared/data/access/caller-access.ts": "rights of administrators, the same in all organizations",
  "shared/data/query/analyze/calendar.ts": "by time zone",
  "shared/data/query/analyze/relative-dates.ts": "by unit",
  "shared/data/query/execute/answer-cache.ts": "the kind of cache; its users give the keys",
  "shared/data/query/execute/tenant-scope.ts": "by the object of a schema, which belongs to one generation",
  "shared/data/query/parse/parse-cache.ts": "by the text of a query",
  "shared/data/records/api-record.ts": "by the objects of access and schema, which belong to one generation",
  "shared/data/records/indexes.ts": "by the object of a schema, which belongs to one generation",
  "shared/data/schema/index-plan.ts": "by the object of a schema, which belongs to one generation",
  "shared/data/schema/rules/evaluate.ts": "by the object of a schema, which belongs to one generation",
  "shared/data/schema/rules/functions.ts": "by the text of a pattern",
  "shared/data/schema/rules/scope.ts": "by the object of a value",
  "shared/foundation/tokens/tokens.ts": "by the text of a token",
  "shared/identity/presence/vacation.ts": "by time zone",
  "shared/messaging/notifications/local-time.ts": "by time zone",
  "shared/messaging/notifications/sight.ts": "by the text of a condition",
  "shared/messaging/vendors/push/fcm.ts": "by the account of a vendor and its key",
  "shared/messaging/webhooks/webhook-keys.ts": "by a credential, whose id no other copy has, and its last change",
  "shared/tenant/background-work.ts": "marks in the base database, which name organizations only",
  "shared/tenant/cache.ts": "the kind of cache that compares generations",
  "shared/tenant/organizations.ts": "placements, whose generation each reader compares with the state",
  "shared/tenant/outbox/transactions.ts": "by a running transaction",
};

const hasCache = ({ text }: Source): boolean =>
  /\b(boundedCache|answerCache)(<.*>)?\(/.test(text) ||
  /^(export )?(const|let) \w+(: .+)? = new (Weak)?(Map|Set)(<.*>)?\(\);/m.test(text);

test("the keys of a cache of tenant data begin with organization and generation", async () => {
  const caching = (await sources("shared", "functions")).filter(hasCache);
  const unkeyed = caching.filter(({ text }) => !/\bcopyKeyOf\(tenant\)/.test(text)).map(({ path }) => path);
  expect(unkeyed).toEqual(Object.keys(needNone));
});
