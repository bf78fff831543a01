import type { ObjectSchema } from "../document.ts";
import { appObjects } from "./app-objects.ts";
import { businessObjects } from "./business-objects.ts";
import { contentObjects } from "./content-objects.ts";
import { peopleObjects } from "./people-objects.ts";

/** Every object that an organization has from its first day. */
export const standardObjects: readonly ObjectSchema[] = [
  ...peopleObjects,
  ...appObjects,
  ...contentObjects,
  ...businessObjects,
];
