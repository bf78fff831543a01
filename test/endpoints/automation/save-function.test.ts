import { beforeAll, describe, expect, it } from "vitest";
import { http, registerOrganization, type User } from "../../platform.ts";
import { codeOf } from "./functions.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
});

const fields = { name: "F", file_name: "saved.py", code: codeOf("return 1") };

const refused = async (body: object) => {
  const { body: problem } = await http.post("/v1/object/function", { token: owner.token, body, expect: 422 });
  return problem.detail;
};

describe("a function that is saved", () => {
  it("is refused with the position and the rule of what is not allowed", async () => {
    const detail = await refused({ ...fields, code: codeOf("import os\nreturn os.environ") });
    expect(detail[0]).toMatchObject({
      loc: ["body", "code"],
      type: "invalid_code",
      msg: expect.stringMatching(/^Line 2, column \d+: /),
      ctx: { line: 2, column: expect.any(Number), rule: expect.any(String) },
    });
    expect((await refused({ ...fields, code: "def execute(" }))[0]).toMatchObject({
      loc: ["body", "code"],
      ctx: { line: 1 },
    });
    expect((await refused({ ...fields, code: "x = 1" }))[0]).toMatchObject({ loc: ["body", "code"] });
    expect((await refused({ ...fields, code: codeOf("return ().__class__") }))[0]).toMatchObject({ ctx: { line: 2 } });
  });

  it("is refused in a batch with the index of its record, and nothing is written", async () => {
    const bad = { ...fields, file_name: "second.py", code: codeOf("return eval('1')") };
    expect((await refused([fields, bad]))[0]).toMatchObject({ loc: ["body", 1, "code"] });
    const q = "SELECT COUNT(*) AS n FROM function";
    const { body } = await http.get("/v1/query", { token: owner.token, query: { q }, expect: 200 });
    expect(body.records).toEqual([{ n: 0 }]);
  });

  it("needs a file name that ends with .py, and limits within bounds: all issues at once", async () => {
    const locs = (detail: { loc: unknown[] }[]) => [...new Set(detail.map(({ loc }) => loc.join(".")))].sort();
    const bad = { ...fields, file_name: "a/b.py", timeout_seconds: 61, memory_mb: 16, code: "x" };
    expect(locs(await refused(bad))).toEqual(["body.code", "body.file_name", "body.memory_mb", "body.timeout_seconds"]);
    for (const file_name of ["score", ".py", "a b.py", "ä.py", `${"x".repeat(100)}.py`, "../a.py", "a.py\n"]) {
      expect(locs(await refused({ ...fields, file_name }))).toEqual(["body.file_name"]);
    }
    for (const timeout_seconds of [0, -1, 1.5, 61]) {
      expect(locs(await refused({ ...fields, timeout_seconds }))).toEqual(["body.timeout_seconds"]);
    }
  });

  it("has at most 256 KiB of code", async () => {
    const longer = (text: string) => ({ ...fields, code: `${codeOf("return 1")}# ${text}` });
    const loc = ["body", "code"];
    expect((await refused(longer("x".repeat(256 * 1024))))[0]).toMatchObject({ loc, type: "too_long" });
    expect((await refused(longer("ü".repeat(128 * 1024))))[0]).toMatchObject({ loc, type: "code_too_large" });
  });

  it("is checked when its code is changed, and not when something else is", async () => {
    const body = { ...fields, file_name: "changed_later.py" };
    const { id } = (await http.post("/v1/object/function", { token: owner.token, body, expect: 201 })).body;
    const change = (change: object, expected: number) =>
      http.patch(`/v1/object/function/${id}`, { token: owner.token, body: change, expect: expected });
    const { body: problem } = await change({ code: codeOf("import socket\nreturn 1") }, 422);
    expect(problem.detail[0]).toMatchObject({ loc: ["body", "code"], ctx: { line: 2 } });
    await change({ description: "Counts." }, 200);
    await change({ code: codeOf("return 2"), timeout_seconds: 5 }, 200);
  });
});
