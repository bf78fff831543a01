import { expect, test } from "vitest";
import { runForTest } from "./run.ts";
import { httpApi, lambdaFunction, route, template } from "./stack.ts";

const api = { api: template(httpApi(), lambdaFunction("Probe"), route("Probe", "ANY /probe", "Probe")) };

test("a platform that is started closed answers 503 starting to all but its own requests until it is opened", async () => {
  const { url, key, open } = await runForTest(api, { closed: true });
  for (const path of ["/probe", "/nowhere"]) {
    const refused = await fetch(`${url}${path}`, { method: "POST", body: "text" });
    expect([refused.status, refused.headers.get("retry-after"), refused.headers.get("content-type")]).toEqual([
      503,
      "1",
      "application/json",
    ]);
    expect(await refused.json()).toEqual({
      detail: expect.stringMatching(/starting/),
      code: "starting",
      request_id: refused.headers.get("x-request-id"),
    });
  }
  const [name = ""] = Object.keys(key);
  expect((await fetch(`${url}/probe`, { headers: { [name]: "a guess" } })).status).toBe(503);
  const admitted = await fetch(`${url}/probe`, { headers: key });
  expect(admitted.status).toBe(200);
  // The function does not get the key.
  expect(await admitted.text()).not.toContain(name);
  open();
  expect((await fetch(`${url}/probe`)).status).toBe(200);
});

test("a platform that is not started closed answers at once", async () => {
  const { url } = await runForTest(api);
  expect((await fetch(`${url}/probe`)).status).toBe(200);
});
