import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import type { DemoClient, DemoReply } from "./client.ts";
import type { Step } from "./tour.ts";

export interface SandboxTour {
  readonly play: (step: Step) => Promise<DemoReply>;
  /** For requests that are no steps. */
  readonly call: DemoClient;
  /** An access token. */
  readonly owner: string;
}

const created = z.object({ id: z.string(), parent_organization_id: z.string() });
const token = z.object({ access_token: z.string() });
const status = z.object({ status: z.string() });

const SANDBOX = "/v1/sandbox/autumn";
const running: readonly string[] = ["provisioning", "refreshing"];

/** The part of the tour that tries a change in a sandbox and brings it to production. */
export const tryInSandbox = async ({ play, call, owner }: SandboxTour): Promise<void> => {
  const post = (title: string, path: string, body: unknown, expected: Step["status"], who = owner) =>
    play({ title, method: "POST", path, body, token: who, status: expected });
  const get = (title: string, path: string, expected: number, who = owner) =>
    play({ title, method: "GET", path, token: who, status: expected });
  /** An answer of 202 says that the copy is still being made, as on a slow machine. */
  const complete = async (): Promise<void> => {
    while (running.includes(status.parse((await call("GET", SANDBOX, { token: owner })).body).status)) {
      await setTimeout(200);
    }
  };

  const description = "Where **new things** are tried";
  const made = await post(
    "A sandbox: Acme's configuration, copied",
    "/v1/sandbox",
    { name: "autumn", description },
    [201, 202],
  );
  const { id, parent_organization_id: parent } = created.parse(made.body);
  await complete();
  const inside = token.parse((await post("Into the sandbox", "/v1/auth/switch", { id }, 200)).body).access_token;
  await get("It has no records", `/v1/query?${new URLSearchParams({ q: "SELECT COUNT(*) FROM lead" })}`, 200, inside);
  await post("There, a new app", "/v1/object/app", { name: "Fleet", api_name: "fleet" }, 201, inside);
  const fields = [{ name: "Plate", api_name: "plate", type: "string", unique: true }];
  await post("… with an object of its own", "/v1/schema", { name: "Van", app: "fleet", fields }, 201, inside);
  await post("… and a first record, to try it", "/v1/object/van", { name: "Van 1", plate: "B-AC 1" }, 201, inside);
  await get("Production knows nothing of it", "/v1/schema/van", 404);
  await get("What is different?", `${SANDBOX}/diff`, 200);
  await post("Bring the app to production", `${SANDBOX}/app/fleet/push/${parent}`, {}, 200);
  await get("There is the object, without the record", "/v1/object/van", 200);
  await post("Begin again with production's configuration", `${SANDBOX}/refresh`, {}, [200, 202]);
  await complete();
  await get("Nothing is different now", `${SANDBOX}/diff`, 200);
  await play({ title: "The sandbox is deleted", method: "DELETE", path: SANDBOX, token: owner, status: 200 });
  await get("A token for it is worth nothing now", "/v1/object/van", 401, inside);
};
