import type { Store } from "../storage/store.ts";
import type { Timeline } from "../storage/transactions.ts";
import type { Cursors } from "./cursors.ts";
import type { Session } from "./sessions.ts";
import type { Turns } from "./turns.ts";

export interface Engine {
  readonly store: Store;
  readonly timeline: Timeline;
  readonly sessions: Map<string, Session>;
  readonly cursors: Cursors;
  readonly turns: Turns;
  readonly clock: () => number;
  readonly started: number;
  readonly opcounters: Record<"insert" | "query" | "update" | "delete" | "getmore" | "command", number>;
  connections: number;
}
