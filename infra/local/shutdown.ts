import { Refusal } from "./refusal.ts";

/** What is closed first comes first: nothing new is taken, what runs is finished, and only then its means go. */
const phases = ["front", "services", "sdk", "database", "data"] as const;

type Phase = (typeof phases)[number];

/**
 * Collects what was opened, and closes it phase by phase, within a phase in the order of opening. What is opened after the
 * closing has begun is closed at once, and raises.
 */
export const shutdown = () => {
  const opened: { phase: Phase; close: () => unknown }[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    for (const phase of phases) {
      for (const one of opened) if (one.phase === phase) await one.close();
    }
  };
  return {
    on: (phase: Phase, close: () => unknown): void => {
      if (closing !== undefined) {
        void close();
        throw new Refusal("The platform was told to stop.");
      }
      opened.push({ phase, close });
    },
    /** Asked again, it gives the same promise. */
    close: (): Promise<void> => (closing ??= closeAll()),
  };
};

export type Shutdown = ReturnType<typeof shutdown>;
