import { type Db, type Document, MongoClient } from "mongodb";
import { httpClient } from "../setup/http-client.ts";
import type { LaunchedPlatform } from "../setup/launch-platform.ts";
import { sandboxSteps } from "../setup/sandboxes.ts";
import { median } from "./measure.ts";
import { line } from "./print.ts";

type Stored = Document & { _id: string };

/** Of the copy, at 10,000 documents of configuration, to the copies of the collections alone. */
const TARGET_RATIO = 1.5;
/** Milliseconds in which no request is answered, at 1,000 documents of configuration. */
const TARGET_GATE = 1_000;
const ROUNDS = 5;
const KINDS = ["app_page", "automation", "template", "permission"] as const;

const text = (index: number): string => `Text ${index} `.repeat(40);

const documentOf = (kind: (typeof KINDS)[number], index: number): Document => {
  switch (kind) {
    case "app_page": {
      const section = {
        title: text(index),
        columns: [
          { width: 6, fields: ["name", "status"] },
          { width: 6, fields: [] },
        ],
      };
      return {
        api_name: `page_${index}`,
        path: `/pages/${index}`,
        order: index,
        layout: { sections: [section, section] },
      };
    }
    case "automation": {
      const node = { id: "a", type: "condition", condition: "record.amount > 10", position: { x: index, y: 0 } };
      return { active: true, public: false, nodes: [node, { ...node, id: "b" }], edges: [{ from: "a", to: "b" }] };
    }
    case "template":
      return { kind: "email", subject: text(index).slice(0, 60), html: `<p>${text(index)}</p>` };
    case "permission":
      return { object_permissions: { lead: { create: true, read: true } }, object_field_permissions: {}, scopes: [] };
  }
};

/** Brings the number of documents of configuration to so many. */
const fill = async (database: Db, present: number, wanted: number): Promise<void> => {
  const by = { id: "platform", schema: "user", name: "Platform" };
  const at = new Date();
  const common = { created_date: at, modified_date: at, created_by: by, modified_by: by, owner: by, shared_with: [] };
  for (let from = present; from < wanted; from += 1_000) {
    const documents = Array.from({ length: Math.min(1_000, wanted - from) }, (_, offset) => from + offset);
    for (const [place, kind] of KINDS.entries()) {
      const mine = documents.filter((index) => index % KINDS.length === place);
      const records = mine.map((index) => {
        const id = `${kind}-${index}`;
        return {
          _id: id,
          id,
          name: `${kind} ${index}`,
          ...documentOf(kind, index),
          ...common,
          _readers: ["owner:platform"],
        };
      });
      await database.collection<Stored>(kind).insertMany(records);
    }
  }
};

const fillRecords = async (database: Db, count: number): Promise<void> => {
  for (let from = 0; from < count; from += 10_000) {
    const leads = Array.from({ length: 10_000 }, (_, index) => ({
      _id: `lead-${from + index}`,
      name: `Lead ${index}`,
    }));
    await database.collection<Stored>("lead").insertMany(leads);
  }
};

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

/** The copies of the same collections by the database, one after the other, without anything else. */
const plainCopy = async (mongo: MongoClient, organization: string): Promise<void> => {
  const target = `${organization}_plain`;
  for (const kind of ["schemas", ...KINDS]) {
    await mongo
      .db(organization)
      .collection(kind)
      .aggregate([{ $out: { db: target, coll: kind } }])
      .toArray();
  }
  await mongo.db(target).dropDatabase();
};

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(2)} s`;

/** Creation of sandboxes with more and more configuration and records, and how long a refresh keeps requests waiting. */
export const benchSandboxes = async ({ url, mongoUri }: LaunchedPlatform["access"]): Promise<void> => {
  const http = httpClient(url);
  const steps = sandboxSteps(http);
  const { body } = await http.post("/v1/register", {
    body: { organization_name: "Bench", email: "bench@example.test", password: "correct horse battery staple" },
    expect: 201,
  });
  const { access_token: token, organization_id: organization } = body;
  const mongo = await new MongoClient(mongoUri).connect();
  const database = mongo.db(organization);
  const create = (): Promise<number> => timed(() => steps.create(token, "bench"));
  const remove = () => steps.remove(token, "bench");
  // The first one starts the functions.
  for (let warm = 0; warm < 2; warm += 1) {
    await create();
    await steps.refresh(token, "bench");
    await remove();
  }
  const round = async (): Promise<{ created: number; plain: number }> => {
    const created: number[] = [];
    const plain: number[] = [];
    for (let turn = 0; turn < ROUNDS; turn += 1) {
      plain.push(await timed(() => plainCopy(mongo, organization)));
      created.push(await create());
      await remove();
    }
    return { created: median(created), plain: median(plain) };
  };
  let present = 0;
  for (const wanted of [1_000, 10_000, 100_000]) {
    await fill(database, present, wanted);
    present = wanted;
    const { created, plain } = await round();
    const ratio = created / plain;
    const verdict = ratio <= TARGET_RATIO ? "met" : "missed";
    const target = wanted === 10_000 ? `target ≤ ${TARGET_RATIO} × ${verdict}` : "";
    line(
      `sandbox of ${wanted} documents of configuration`,
      seconds(created),
      `${ratio.toFixed(2)} × the plain copy ${target}`,
    );
    await benchDiff(http, token, steps);
    if (wanted === 1_000) await benchGate(mongo, token, steps);
    if (wanted === 10_000) {
      await fillRecords(database, 1_000_000);
      const full = await round();
      line(
        "the same with 1,000,000 records",
        seconds(full.created),
        `${(full.created / created).toFixed(2)} × without`,
      );
      await database.collection("lead").drop();
    }
  }
  await mongo.close();
};

const benchDiff = async (
  http: ReturnType<typeof httpClient>,
  token: string,
  steps: ReturnType<typeof sandboxSteps>,
): Promise<void> => {
  await steps.create(token, "bench");
  const took = await timed(() => http.get("/v1/sandbox/bench/diff", { token, expect: 200 }));
  line("its comparison with the parent", seconds(took));
  await steps.remove(token, "bench");
};

const benchGate = async (mongo: MongoClient, token: string, steps: ReturnType<typeof sandboxSteps>): Promise<void> => {
  const { id } = await steps.create(token, "bench");
  const closed: number[] = [];
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    let from: number | undefined;
    let to = 0;
    let isOver = false;
    const watch = (async () => {
      while (!isOver) {
        const state = await mongo.db(id).collection<Stored>("organization_state").findOne({ _id: id });
        if (state?.status === "refreshing") from ??= performance.now();
        else if (from !== undefined && to === 0) to = performance.now();
      }
    })();
    await steps.refresh(token, "bench");
    isOver = true;
    await watch;
    if (from !== undefined) closed.push(to - from);
  }
  await steps.remove(token, "bench");
  const longest = Math.max(...closed);
  const verdict = longest < TARGET_GATE ? "met" : "missed";
  line("gate of a refresh, longest of five", `${longest.toFixed(0)} ms`, `target < ${TARGET_GATE} ms ${verdict}`);
};
