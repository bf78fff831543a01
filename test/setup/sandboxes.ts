import { setTimeout } from "node:timers/promises";
import type { HttpClient } from "./http-client.ts";

interface Sandbox {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

/** What tests do with sandboxes. A request may be answered before its operation has ended, so they wait for its end. */
export const sandboxSteps = (http: HttpClient) => {
  const show = async (token: string, name: string) => (await http.get(`/v1/sandbox/${name}`, { token })).body;

  /** The sandbox when nothing runs on it any more. */
  const settled = async (token: string, name: string): Promise<Sandbox> => {
    for (;;) {
      const sandbox = await show(token, name);
      if (!["provisioning", "refreshing", "deleting"].includes(sandbox.status)) return sandbox;
      await setTimeout(100);
    }
  };

  return {
    settled,
    create: async (token: string, name: string, more: object = {}): Promise<Sandbox> => {
      await http.post("/v1/sandbox", { token, body: { name, ...more } });
      return settled(token, name);
    },
    refresh: async (token: string, name: string): Promise<Sandbox> => {
      await http.post(`/v1/sandbox/${name}/refresh`, { token, body: {} });
      return settled(token, name);
    },
    /** Resolves when nothing is left of it. */
    remove: async (token: string, name: string): Promise<void> => {
      await http.delete(`/v1/sandbox/${name}`, { token, expect: 200 });
      while ((await http.get(`/v1/sandbox/${name}`, { token })).status !== 404) await setTimeout(100);
    },
    /** A token of the person for the sandbox. */
    enter: async (token: string, id: string): Promise<string> =>
      (await http.post("/v1/auth/switch", { token, body: { id }, expect: 200 })).body.access_token,
  };
};
