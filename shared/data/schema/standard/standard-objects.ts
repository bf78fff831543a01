import type { ObjectSchema } from "../document.ts";
import { appObjects } from "./app-objects.ts";
import { businessObjects } from "./business-objects.ts";
import { contentObjects } from "./content-objects.ts";
import { peopleObjects } from "./people-objects.ts";

let defined: readonly ObjectSchema[] | undefined;

/** Every object that an organization has from its first day; put together when first asked for. */
export const standardObjects = (): readonly ObjectSchema[] => {
  defined ??= [...peopleObjects(), ...appObjects(), ...contentObjects(), ...businessObjects()];
  return defined;
};
