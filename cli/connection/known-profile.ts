import { Failure } from "../failure.ts";
import type { Profile, Store } from "./credentials.ts";

/** @throws Failure that lists the existing profiles */
export const known = (store: Store, name: string): Profile => {
  const profile = store.profiles[name];
  if (profile) return profile;
  const names = Object.keys(store.profiles).join(", ") || "none";
  throw new Failure("usage", `There is no profile ${name}.`, {
    hint: `There are: ${names}. Add one: tenantry profile add ${name} --url <address>`,
  });
};
