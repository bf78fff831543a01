/** Documents of sandboxes. Moments are BSON dates. */

export type SandboxStatus = "provisioning" | "active" | "refreshing" | "failed" | "deleting";

export type SandboxOperation = "create" | "refresh" | "delete";

/** A copy that takes the place of a collection. */
export interface Replacement {
  /** The collection of the copy. */
  readonly from: string;
  readonly to: string;
}

/** One attempt of an operation. Another one may take its place, so tasks compare the id before and after what they do. */
export interface SandboxRun {
  /** A UUIDv7. Also the name of the execution. */
  readonly id: string;
  readonly operation: SandboxOperation;
  readonly by: { readonly id: string; readonly name: string; readonly email: string };
  readonly started: Date;
  /** Nobody works on the run if this moment has passed. */
  readonly lease_until: Date;
  /** Steps that have been completed, and kinds of configuration that have been copied. */
  readonly completed?: readonly string[];
  /** The release that the parent's database was made for when the copy was begun. */
  readonly migrated?: string;
  /** Set when the run has failed: its tasks do nothing more, while what they did is undone. */
  readonly undoing?: boolean;
  /** Set when the switch-over can no longer be undone. */
  readonly committing?: { readonly generation: string; readonly collections: readonly Replacement[] };
}

/** The part of a sandbox's registry entry that only sandboxes have. */
export interface SandboxEntry {
  /** Changes when a sandbox is deleted and created again. */
  readonly instance: string;
  readonly name: string;
  /** Markdown. */
  readonly description: string | null;
  readonly status: SandboxStatus;
  readonly progress: { readonly step: string; readonly done: number; readonly total: number };
  readonly enable_schedules: boolean;
  readonly created_date: Date;
  /** Null before the first copy is complete. */
  readonly refreshed_date: Date | null;
  readonly users: number;
  /** Who changes its users or settings, one request after another. */
  readonly changing?: { readonly id: string; readonly until: Date };
  /** Of the last operation. Absent if it has succeeded or is running. */
  readonly failure?: {
    readonly operation: SandboxOperation;
    readonly step: string;
    readonly reason: string;
    readonly at: Date;
  };
  readonly run?: SandboxRun;
  /** The id of the last run that has succeeded. */
  readonly last_run?: string;
}

/** In the parent's database: a sandbox that its users may have in their lists of organizations. `_id` is its id. */
export interface SandboxLink {
  readonly _id: string;
  readonly instance: string;
  /** The copy whose users have it. Absent before the first one is complete. */
  readonly generation?: string;
  /** The run that sets the lists. Meanwhile requests do not change them. */
  readonly run?: string;
  /** Goes up with each change of a list, so that no change runs beside the removal of the sandbox. */
  readonly changes: number;
}
