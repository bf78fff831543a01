import { hash } from "node:crypto";
import * as z from "zod";
import { nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { copyKeyOf, type Tenant } from "#shared/tenant/tenant";
import type { KeyValue } from "../compile/keyset.ts";
import type { Position } from "../compile/page.ts";
import type { QueryLocation } from "../query-issue.ts";

/** Longer cursors would not fit into a URL together with a query. */
const LONGEST = 2_000;

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null(), z.strictObject({ date: z.int() })]);
const content = z.tuple([
  z.string(),
  z.int().nonnegative().max(1_000_000_000),
  z.array(scalar).min(1).max(40).nullable(),
  z.int().nonnegative(),
]);

type Content = z.output<typeof content>;

/**
 * Binds a cursor to a query, a copy of an organization's data and a caller, and detects changes. So no page of a query
 * continues in another copy, such as a refreshed sandbox. It is no secret and grants nothing: a position only narrows a
 * query that the caller may run anyway.
 */
const seal = (tenant: Tenant, text: string, [, ...position]: Content): string =>
  hash("sha256", JSON.stringify([copyKeyOf(tenant), tenant.caller.id, text.trim(), position]), "base64url").slice(
    0,
    16,
  );

const written = (key: KeyValue): z.output<typeof scalar> => (key instanceof Date ? { date: key.getTime() } : key);

const read = (key: z.output<typeof scalar>): KeyValue =>
  typeof key === "object" && key !== null ? new Date(key.date) : key;

/** Encodes a position. It falls back to the row number if the keys would make the cursor too long. */
export const cursorOf = (tenant: Tenant, text: string, { seen, keys, at }: Position): string => {
  const open: Content = ["", seen, keys?.map(written) ?? null, at.getTime()];
  const cursor = Buffer.from(JSON.stringify([seal(tenant, text, open), ...open.slice(1)])).toString("base64url");
  return cursor.length <= LONGEST || keys === null ? cursor : cursorOf(tenant, text, { seen, keys: null, at });
};

const parsed = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
};

export const foreignCursor = (loc: QueryLocation): Fault =>
  new Fault("validation_failed", {
    issues: [
      {
        loc: [...loc.slice(0, -1), "cursor"],
        msg: "This cursor is not one that this query gave to this user. Begin again without it.",
        type: "query_cursor",
      },
    ],
  });

/** Raises `validation_failed` for a cursor that was not issued to this caller for this text. */
export const positionOf = (tenant: Tenant, text: string, cursor: string, loc: QueryLocation): Position => {
  const found = content.safeParse(parsed(cursor));
  if (!found.success || found.data[0] !== seal(tenant, text, found.data)) throw foreignCursor(loc);
  const [, seen, keys, at] = found.data;
  const position = { seen, keys: keys?.map(read) ?? null, at: new Date(at) };
  const dates = position.keys?.filter((key) => key instanceof Date) ?? [];
  if (at > nowMillis() || dates.some((date) => Number.isNaN(date.getTime()))) throw foreignCursor(loc);
  return position;
};
