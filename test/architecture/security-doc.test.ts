import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { requiresToken } from "#contracts/contract";
import { PASSWORD_LENGTH } from "#contracts/identity-bodies";
import { routes } from "#contracts/routes";
import { ACCESS_TOKEN_SECONDS } from "#shared/foundation/tokens/tokens";
import { ACCOUNT_LIMIT, CODE_LIMIT, PAIR_LIMIT } from "#shared/identity/sign-in/lockout";

const FOLDER = "docs/security";
const document = readFileSync(join(FOLDER, "identity.md"), "utf8");

/** The text under a heading, up to the next heading of the same or a higher level. */
const section = (heading: string): string => {
  const [, after = ""] = document.split(`\n${heading}\n`);
  const [marks = ""] = heading.split(" ");
  return after.split(new RegExp(`^#{1,${marks.length}} `, "m"))[0] ?? "";
};

interface Row {
  readonly id: string;
  readonly level: string;
  /** The last cell. */
  readonly here: string;
}

const rowsOf = (heading: string): Row[] =>
  section(heading)
    .split("\n")
    .filter((line) => /^\| \d/.test(line))
    .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")))
    .map(([id = "", level = "", ...more]) => ({ id, level, here: more.at(-1) ?? "" }));

/** The rows of levels 1 and 2 in OWASP ASVS 5.0.0; https://github.com/OWASP/ASVS/tree/v5.0.0_release/5.0/en */
const ASVS = {
  "## ASVS V6: Authentication": [
    "6.1.1 6.1.2 6.1.3",
    "6.2.1 6.2.2 6.2.3 6.2.4 6.2.5 6.2.6 6.2.7 6.2.8 6.2.9 6.2.10 6.2.11 6.2.12",
    "6.3.1 6.3.2 6.3.3 6.3.4 6.4.1 6.4.2 6.4.3 6.4.4",
    "6.5.1 6.5.2 6.5.3 6.5.4 6.5.5 6.6.1 6.6.2 6.6.3 6.8.1 6.8.2 6.8.3 6.8.4",
  ],
  "## ASVS V7: Session management": [
    "7.1.1 7.1.2 7.1.3 7.2.1 7.2.2 7.2.3 7.2.4 7.3.1 7.3.2",
    "7.4.1 7.4.2 7.4.3 7.4.4 7.4.5 7.5.1 7.5.2 7.6.1 7.6.2",
  ],
  "## ASVS V9: Self-contained tokens": ["9.1.1 9.1.2 9.1.3 9.2.1 9.2.2 9.2.3 9.2.4"],
  "## ASVS V10: OAuth and OIDC": [
    "10.1.1 10.1.2 10.2.1 10.2.2 10.3.1 10.3.2 10.3.3 10.3.4",
    "10.4.1 10.4.2 10.4.3 10.4.4 10.4.5 10.4.6 10.4.7 10.4.8 10.4.9 10.4.10 10.4.11",
    "10.5.1 10.5.2 10.5.3 10.5.4 10.5.5 10.6.1 10.6.2 10.7.1 10.7.2 10.7.3",
  ],
} as const;

/** The sections of RFC 9700 with requirements. */
const RFC_9700 = [
  "2.1 2.1.1 2.1.2 2.2.1 2.2.2 2.3 2.4 2.5 2.6 4.1.3 4.2.4 4.3.1 4.3.2 4.4.2 4.5.3 4.6.1 4.7.1 4.8.2 4.9.3",
  "4.10.1 4.10.2 4.11.1 4.11.2 4.12 4.13 4.14.2 4.15.1 4.16 4.17.2",
];

const named = (lists: readonly string[]): string[] => lists.flatMap((list) => list.split(" "));

const asvsRows = Object.keys(ASVS).flatMap(rowsOf);
const rfcRows = rowsOf("## RFC 9700");

const LINK = /\[([^\]]+)\]\((\.\.\/\.\.\/test\/[^)]+)\)/g;
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The statements of the document that are missing from the file. */
const missing = (name: string, path: string): string[] => {
  if (!existsSync(path)) return [`${path} does not exist`];
  const declared = new RegExp(`(?<!describe)(?<!describe\\.each)\\(\\s*"${escaped(name)}"`);
  return declared.test(readFileSync(path, "utf8")) ? [] : [`${path} has no test "${name}"`];
};

describe("docs/security/identity.md", () => {
  test("names only tests that exist", () => {
    const links = [...document.matchAll(LINK)].map(([, name = "", target = ""]) => ({
      name,
      path: join(FOLDER, target),
    }));
    const proofs = links.filter(({ name }) => name !== "a test");
    expect(proofs.length).toBeGreaterThan(0);
    expect(proofs.flatMap(({ name, path }) => missing(name, path))).toEqual([]);
  });

  test.each(Object.entries(ASVS))("%s has every row of levels 1 and 2, once", (heading, lists) => {
    const rows = rowsOf(heading);
    expect(rows.map(({ id }) => id)).toEqual(named(lists));
    expect(rows.filter(({ level }) => level !== "1" && level !== "2")).toEqual([]);
  });

  test("has a row for every section of RFC 9700 with a requirement", () => {
    expect([...new Set(rfcRows.map(({ id }) => id))]).toEqual(named(RFC_9700));
  });

  test("states the status of every row, and a proof for every row that is met", () => {
    expect(document).not.toContain("TO LINK");
    const verdict = /^(?:\*\*(?:Met|Partly|Not met|Does not apply)\b|See )/;
    const rows = [...rfcRows, ...asvsRows];
    expect(rows.filter(({ here }) => !verdict.test(here))).toEqual([]);
    const unproven = rows.filter(({ here }) => here.startsWith("**Met") && !/\.test\.ts|See /.test(here));
    expect(unproven).toEqual([]);
  });
});

test("the limits in the document are those of the code", () => {
  const limits = section("### Limits");
  for (const [name, { failures, milliseconds }] of Object.entries({ PAIR_LIMIT, ACCOUNT_LIMIT, CODE_LIMIT })) {
    const line = limits.split("\n").find((one) => one.endsWith(`| \`${name}\` |`));
    const [, count, duration = ""] = line?.split(" | ") ?? [];
    expect([name, count]).toEqual([name, String(failures)]);
    expect(duration).toContain(`${milliseconds / 60_000} minutes`);
  }
  expect(section("### Passwords")).toContain(`${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters`);
  expect(section("### Lifetimes")).toContain(`| access token | ${ACCESS_TOKEN_SECONDS / 60} minutes`);
});

test("every public route of identity is listed", () => {
  const ways = section("### Ways in");
  const open = routes.filter((contract) => !requiresToken(contract) && ["identity", "sign-in"].includes(contract.area));
  const unnamed = open.filter(
    ({ method, path }) => !ways.includes(`\`${method} ${path}\``) && !path.startsWith("/v1/sign-in/"),
  );
  expect(unnamed.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  expect(ways).toContain("`/v1/sign-in/`");
});
