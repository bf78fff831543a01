import type { ClientSession } from "mongodb";
import * as z from "zod";
import { sandboxPush } from "#contracts/sandbox-bodies";
import { accessOf, SENSITIVE_SCOPE } from "#shared/data/access/access";
import { opaqueFields, prepareRecords } from "#shared/data/records/push/push";
import { prepareModel } from "#shared/data/schema/push/push";
import { VALUE_LIST_OBJECT } from "#shared/data/schema/schema";
import { invokeLater } from "#shared/foundation/aws/functions";
import { Fault } from "#shared/foundation/faults";
import { refuseReplacedCopy, type Tenant } from "#shared/tenant/tenant";
import { SCHEMAS } from "../copying/configuration.ts";
import { noteInTrail, noteInTransaction } from "../trail.ts";
import { type App, appNamed, belongingsOf } from "./belongings.ts";
import { recordChanges } from "./changes.ts";
import { placesOf, type Source } from "./places.ts";

type SandboxPush = z.input<typeof sandboxPush>;

export interface PushRequest {
  readonly name: string;
  readonly app: string;
  readonly target: string;
}

/** Masked values that an answer lists. */
const MOST_LISTED = 100;

/** A checked push. Nothing is written yet. */
interface ReadyPush {
  readonly answer: SandboxPush;
  write(session: ClientSession): Promise<void>;
  /** After the commit. Never raises. */
  follow(): Promise<void>;
}

const refuseMasked = async (tenant: Tenant): Promise<void> => {
  if ((await accessOf(tenant)).seesSensitive) return;
  const message = `A push brings sensitive values to the target, which needs the scope "${SENSITIVE_SCOPE}".`;
  throw new Fault("forbidden", { message });
};

const answerOf = (
  { name }: PushRequest,
  app: App,
  target: Tenant,
  { kinds, left_out }: Pick<SandboxPush, "kinds" | "left_out">,
): SandboxPush => ({
  sandbox_name: name,
  app: { id: app.id, name: app.name },
  target: target.organization_id,
  kinds,
  left_out,
});

/** Reads what belongs to the app, and checks all of it against the target. */
const prepare = async (request: PushRequest, app: App, source: Source, target: Tenant): Promise<ReadyPush> => {
  const belongings = await belongingsOf(source, app);
  const lists = belongings.records.get(VALUE_LIST_OBJECT) ?? [];
  const values = new Map(lists.map((list) => [String(list.name), list.values]));
  const model = await prepareModel(target, belongings.objects, { lists: values, opaque: opaqueFields });
  const changes = await recordChanges(target, belongings, model.schemas);
  const records = await prepareRecords(
    target,
    model.schemas,
    changes.map((change) => change.records),
  );
  // Everything was read from one copy of the sandbox.
  await refuseReplacedCopy(source);
  const kinds: SandboxPush["kinds"] = belongings.objects.length > 0 ? { [SCHEMAS]: model.counts } : {};
  for (const { kind, counts } of changes) kinds[kind] = counts;
  const left_out = changes
    .flatMap(({ leftOut }) => leftOut)
    .slice(0, MOST_LISTED)
    .map(({ path, ...place }) => ({ ...place, path: [...path] }));
  return {
    answer: answerOf(request, app, target, { kinds, left_out }),
    write: async (session) => {
      // Fields name value lists, and records have the fields.
      await records.get(VALUE_LIST_OBJECT)?.write(session);
      await model.write(session);
      for (const [object, ready] of records) if (object !== VALUE_LIST_OBJECT) await ready.write(session);
    },
    follow: async () => {
      await model.follow(invokeLater);
      for (const [, ready] of records) await ready.follow();
    },
  };
};

const json = z.string().transform((text) => JSON.parse(text));

/**
 * Brings an app's configuration from a sandbox to its production organization or to another sandbox. Everything is checked
 * first and then written in one transaction of the target. Raises `forbidden`, `sandbox_not_found`, `record_not_found`,
 * `sandbox_busy`, `sandbox_refreshing`, `conflict`, `validation_failed`, `object_not_found`, `standard_object`,
 * `values_do_not_fit`, `duplicate_value`, `in_use` and `dependency_unavailable`.
 */
export const pushApp = async (tenant: Tenant, request: PushRequest): Promise<SandboxPush> => {
  const { source, target } = await placesOf(tenant, request.name, request.target);
  await refuseMasked(tenant);
  const app = await appNamed(source, request.app);
  let ready: ReadyPush | undefined;
  const answer = await tenant.once.write(
    async () => {
      const push = await prepare(request, app, source, target);
      ready = push;
      const details = { app_id: app.id, app_name: app.name, target: target.organization_id, kinds: push.answer.kinds };
      // In place of ids, a repeated request needs the counts.
      const done = { ids: [JSON.stringify(push.answer)], value: push.answer };
      if (target !== tenant) {
        await noteInTrail(tenant, "sandbox_app_pushed", request.name, details);
        await target.transaction(push.write);
        return async () => done;
      }
      return async (session) => {
        await push.write(session);
        await noteInTransaction(tenant, "sandbox_app_pushed", request.name, { details, session });
        return done;
      };
    },
    async ([first = "null"]) => json.pipe(sandboxPush).parse(first),
  );
  await ready?.follow();
  return answer;
};
