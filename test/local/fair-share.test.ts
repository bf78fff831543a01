import { expect, test } from "vitest";
import { runForTest } from "./run.ts";
import { httpApi, lambdaFunction, route, template } from "./stack.ts";

const api = { api: template(httpApi(), lambdaFunction("Probe"), route("Probe", "ANY /probe", "Probe")) };

/** A token as the gateway parses it, without a valid signature. */
const tokenOf = (org: string, session: number): string =>
  `Bearer h.${Buffer.from(JSON.stringify({ org, session })).toString("base64url")}.s`;

test("requests of one organization wait for each other, and another organization's do not wait for all of them", async () => {
  const { url, environments } = await runForTest(api);
  const order: string[] = [];
  const send = async (org: string, session: number): Promise<number> => {
    const reply = await fetch(`${url}/probe?do=sleep&ms=200`, { headers: { authorization: tokenOf(org, session) } });
    await reply.text();
    order.push(org);
    return reply.status;
  };
  const noisy = Array.from({ length: 60 }, (_, session) => send("noisy", session));
  // One of them has been handled by now, so all have arrived.
  await Promise.race(noisy);
  expect(await send("quiet", 0)).toBe(200);
  expect(await Promise.all(noisy)).toEqual(noisy.map(() => 200));
  expect(order.indexOf("quiet")).toBeLessThan(order.length - 1);
  // Eight concurrent ones of the first, one environment left free, and one of the other.
  expect(environments("Probe")).toBeLessThanOrEqual(10);
});
