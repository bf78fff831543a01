/** Sandboxes: isolated copies of an organization's configuration. */
import type * as z from "zod";
import type { sandbox } from "#contracts/sandbox-bodies";
import type { Tenant } from "#shared/tenant/tenant";
import { answerOf } from "./answer.ts";
import { compareWithParent } from "./compare/compare.ts";
import { createSandbox, type NewSandbox } from "./create.ts";
import { refuseFailed } from "./outcome.ts";
import { refreshSandbox } from "./refresh.ts";
import { productionOf, sandboxesOf, sandboxNamed } from "./registry.ts";
import { deleteSandbox } from "./remove.ts";
import { updateSandbox } from "./settings.ts";
import { addUsers, removeUsers } from "./users/users.ts";

type SandboxAnswer = z.input<typeof sandbox>;

/** What the administrators of a production organization do with its sandboxes. */
export const sandboxes = (tenant: Tenant) => ({
  list: async (): Promise<SandboxAnswer[]> => (await sandboxesOf((await productionOf(tenant))._id)).map(answerOf),
  show: async (name: string): Promise<SandboxAnswer> => answerOf((await sandboxNamed(tenant, name)).entry),
  create: async (wanted: NewSandbox): Promise<SandboxAnswer> => {
    const entry = await createSandbox(tenant, wanted);
    refuseFailed(entry, "create");
    return answerOf(entry);
  },
  refresh: async (name: string): Promise<SandboxAnswer> => {
    const entry = await refreshSandbox(tenant, name);
    refuseFailed(entry, "refresh");
    return answerOf(entry);
  },
  update: async (name: string, change: Parameters<typeof updateSandbox>[2]): Promise<SandboxAnswer> =>
    answerOf(await updateSandbox(tenant, name, change)),
  delete: (name: string) => deleteSandbox(tenant, name),
  compare: (name: string) => compareWithParent(tenant, name),
  addUsers: (name: string, selector: Parameters<typeof addUsers>[2]) => addUsers(tenant, name, selector),
  removeUsers: (name: string, ids: string) => removeUsers(tenant, name, ids),
});
