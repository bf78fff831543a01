import { beforeAll, describe, expect, it } from "vitest";
import { registerOrganization, type User } from "../../platform.ts";
import { addFunction, run } from "./functions.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
});

describe("POST /v1/automation/function", () => {
  it("gives what the function returned, and the id of the execution", async () => {
    const name = await addFunction(owner, "return {'sum': kwargs['a'] + kwargs['b']}");
    const reply = await run(owner, name, { a: 2, b: 3 });
    expect(reply.body).toEqual({ sum: 5 });
    expect(reply.headers.get("x-execution-id")).toMatch(/^[0-9a-f-]{36}$/);
  });
});
