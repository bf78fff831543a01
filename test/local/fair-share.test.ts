import { expect, test } from "vitest";
import { gate, runForTest } from "./run.ts";
import { httpApi, lambdaFunction, route, template } from "./stack.ts";

const api = {
  api: template(httpApi(), lambdaFunction("Probe", { Timeout: 60 }), route("Probe", "ANY /probe", "Probe")),
};

/** A token as the gateway parses it, without a valid signature. */
const tokenOf = (org: string, session: number): string =>
  `Bearer h.${Buffer.from(JSON.stringify({ org, session })).toString("base64url")}.s`;

test("requests of one organization wait for each other, and another organization's do not wait for all of them", async () => {
  const { url, environments } = await runForTest(api);
  const { path, open } = gate();
  const send = async (org: string, session: number, action: string): Promise<number> => {
    const reply = await fetch(`${url}/probe?${action}`, { headers: { authorization: tokenOf(org, session) } });
    await reply.text();
    return reply.status;
  };
  const held = `do=hold&until=${encodeURIComponent(path)}`;
  const noisy = Promise.all(Array.from({ length: 60 }, (_, session) => send("noisy", session, held)));
  await expect.poll(() => environments("Probe")).toBeGreaterThanOrEqual(8);
  // None of the first has ended.
  expect(await send("quiet", 0, "do=calls")).toBe(200);
  open();
  expect(await noisy).toEqual(Array.from({ length: 60 }, () => 200));
  // Eight concurrent ones of the first, one environment left free, and one of the other.
  expect(environments("Probe")).toBeLessThanOrEqual(10);
});
