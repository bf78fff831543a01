import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { http, registerOrganization, type User } from "../../platform.ts";

/** A name may not be blank, so there is no empty text here. */
const texts = [
  ...["a", "A", "ab", "ba", "aab", "abc", "aBcAbC", "a\nb", "\na", "a\n", "%", "_", "a%b", "a_b", "\\", "a\\b"],
  ...[
    "a.b",
    "a*b",
    "(a)",
    "a+b|c",
    "[a]",
    "^a$",
    "äöÄ",
    "Kelvin \u212a",
    "mess",
    "meſs",
    "😀a",
    "a😀",
    "b😀a",
    "abababababab",
    "bbbbbbbbbbba",
  ],
  ...["aaaaaaaaaa", "aaaaaaaaaaa", "aaaaaaaaaab", "a".repeat(40), `${"ab".repeat(20)}c`],
];

let owner: User;

const matching = async (pattern: string, operator = "LIKE"): Promise<string[]> => {
  const q = `SELECT name FROM contact WHERE name ${operator} '${pattern}' LIMIT 1000`;
  const { body } = await http.post("/v1/query", { token: owner.token, body: { query: q }, expect: 200 });
  return body.records.map((record: { name: string }) => record.name).sort();
};

/** Case-insensitive; the long s is a letter s. */
const plain = (character: string | undefined): string | undefined =>
  character === "ſ" ? "s" : character?.toLowerCase();

/**
 * LIKE by its definition: `%` is any characters, `_` is one, a backslash escapes the next one, ignoring case. Keeps all
 * positions in the text at which the pattern so far can end.
 */
const matches = (pattern: readonly string[], text: readonly string[]): boolean => {
  let places = [0];
  for (let index = 0; index < pattern.length; index += 1) {
    const part = pattern[index];
    if (part === "%") {
      const first = places[0] ?? text.length + 1;
      places = text.map((_, place) => place).filter((place) => place >= first);
      if (first <= text.length) places.push(text.length);
      continue;
    }
    const wanted = part === "\\" ? pattern[++index] : part;
    const fits = (place: number) => part === "_" || plain(wanted) === plain(text[place]);
    places = places.filter((place) => place < text.length && fits(place)).map((place) => place + 1);
  }
  return places.includes(text.length);
};

beforeAll(async () => {
  owner = await registerOrganization();
  const body = texts.map((name) => ({ name }));
  await http.post("/v1/object/contact", { token: owner.token, body, expect: 201 });
});

describe("LIKE", () => {
  it.each<[string, string[]]>([
    ["%a%a%a%a%a%a%a%a%a%a%", ["aaaaaaaaaa", "aaaaaaaaaaa", "aaaaaaaaaab", "a".repeat(40), `${"ab".repeat(20)}c`]],
    ["%a%a%a%a%a%a%a%a%a%a%a%", ["aaaaaaaaaaa", "a".repeat(40), `${"ab".repeat(20)}c`]],
    ["a%a%a%a%a%a%a%a%a%a%b", ["aaaaaaaaaab"]],
    [`%${"ab%".repeat(20)}c`, [`${"ab".repeat(20)}c`]],
    [`${"_%".repeat(12)}`, ["abababababab", "bbbbbbbbbbba", "a".repeat(40), `${"ab".repeat(20)}c`]],
    ["m%ſs", ["mess", "meſs"]],
    ["%k%", ["Kelvin \u212a"]],
    ["%\u212a", ["Kelvin \u212a"]],
  ])("finds the texts that hold the pieces of %s in their order", async (pattern, found) => {
    expect(await matching(pattern)).toEqual(found.sort());
  });

  it("matches what its definition says, for any pattern", async () => {
    const part = fc.constantFrom(
      "%",
      "%",
      "%",
      "_",
      "a",
      "A",
      "b",
      "c",
      "ä",
      "😀",
      ".",
      "*",
      "(",
      "\\\\",
      "\\%",
      "\\_",
      "\n",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 30 }), async (parts) => {
        const pattern = parts.join("");
        const isMeant = (text: string) => matches([...pattern], [...text]);
        expect(await matching(pattern)).toEqual(texts.filter(isMeant).sort());
        expect(await matching(pattern, "NOT LIKE")).toEqual(texts.filter((text) => !isMeant(text)).sort());
      }),
      { numRuns: 150 },
    );
  });

  it.each<[string, string, string, string]>([
    ["many pieces", `%${"a%".repeat(150)}b%`, "a".repeat(60_000), `${"a".repeat(60_000)}b`],
    ["a long piece", `%${"a".repeat(1_900)}b%`, "a".repeat(60_000), `${"a".repeat(60_000)}b`],
    ["a long piece with wildcards", `%${"a_".repeat(900)}b%`, "a".repeat(60_000), `${"a".repeat(60_000)}b`],
    ["a long end", `%${"a".repeat(1_900)}`, `${"a".repeat(60_000)}b`, "a".repeat(60_000)],
    ["a long beginning", `${"a".repeat(1_900)}b%`, "a".repeat(60_000), `${"a".repeat(1_900)}b${"c".repeat(50_000)}`],
  ])("answers for %s over long texts that nearly match", async (_, pattern, near, match) => {
    const long = await registerOrganization();
    const body = [
      { name: near, email: "near@example.test" },
      { name: match, email: "match@example.test" },
    ];
    await http.post("/v1/object/contact", { token: long.token, body, expect: 201 });
    const query = `SELECT email FROM contact WHERE name LIKE '${pattern}'`;
    const { body: found } = await http.post("/v1/query", { token: long.token, body: { query }, expect: 200 });
    expect(found.records).toEqual([{ email: "match@example.test" }]);
  });
});

describe("LIKE: 422 query_too_complex", () => {
  it("refuses a pattern with more pieces than the limit, and accepts one with as many", async () => {
    const ask = (pieces: number, expect: number) =>
      http.post("/v1/query", {
        token: owner.token,
        body: { query: `SELECT name FROM contact WHERE name LIKE '${"a%".repeat(pieces)}'` },
        expect,
      });
    expect((await ask(200, 200)).body.records).toEqual([]);
    const { body } = await ask(201, 422);
    expect(body.detail).toEqual([
      expect.objectContaining({
        type: "query_too_complex",
        msg: expect.stringContaining("A pattern has at most 200 pieces of text between its %."),
      }),
    ]);
  });
});
