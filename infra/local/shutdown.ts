import { Refusal } from "./refusal.ts";

/** In the order of closing: the entrances first, then running work, then the resources that it uses. */
const phases = ["front", "services", "sdk", "database", "data"] as const;

type Phase = (typeof phases)[number];

/**
 * Collects what was opened, and closes it by phase and then in the order of opening. What is opened after the closing
 * has begun is closed at once, and raises an error.
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
    /** Repeated calls give the same promise. */
    close: (): Promise<void> => (closing ??= closeAll()),
  };
};

export type Shutdown = ReturnType<typeof shutdown>;
