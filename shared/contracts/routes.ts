import type { Contract } from "./contract.ts";
import * as platform from "./platform.ts";

/** Every route of the platform. A contract that is not listed here is not deployed, documented or tested. */
export const routes: readonly Contract[] = [...Object.values(platform)].sort(
  (a, b) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method),
);
