import type { Grants } from "./documents.ts";

/** Whether what began at a moment has been ended by a deactivation of its user since, also if they are active again. */
export const isFromBefore = ({ active_since }: Pick<Grants, "active_since">, begun: Date | undefined): boolean =>
  active_since !== undefined && (begun === undefined || begun.getTime() < active_since.getTime());
