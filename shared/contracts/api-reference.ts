import * as z from "zod";
import { defineContract } from "./contract.ts";
import { REFERENCE_SIGNED_IN_PATH } from "./reference-script.ts";

export const getDocs = defineContract({
  operation: "getDocs",
  area: "platform",
  method: "GET",
  path: "/docs",
  access: "public",
  summary: "The API reference, with search and requests to try",
  request: {},
  replies: { 200: { description: "The page.", body: z.string(), contentType: "text/html; charset=utf-8" } },
  faults: [],
});

export const getDocsAsset = defineContract({
  operation: "getDocsAsset",
  area: "platform",
  method: "GET",
  path: "/docs/assets/{name}",
  access: "public",
  summary: "The script of the API reference",
  description:
    "Always compressed by gzip. The file name contains a hash of the contents, so caches may keep it without limit.",
  request: { path: z.object({ name: z.string().max(200).describe("The file name in the reference page.") }) },
  replies: { 200: { description: "The script.", bytes: true, contentType: "text/javascript; charset=utf-8" } },
  faults: ["route_not_found"],
});

export const getDocsSignedIn = defineContract({
  operation: "getDocsSignedIn",
  area: "platform",
  method: "GET",
  path: REFERENCE_SIGNED_IN_PATH,
  access: "public",
  summary: "The last page of the API reference's sign-in",
  description: "The reference reads the code from the address of this window and closes the window.",
  request: {},
  replies: { 200: { description: "The page.", body: z.string(), contentType: "text/html; charset=utf-8" } },
  faults: [],
});
