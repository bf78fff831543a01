import * as z from "zod";
import { defineContract } from "./contract.ts";
import { REFERENCE_SIGNED_IN_PATH } from "./reference-script.ts";

export const getDocs = defineContract({
  operation: "getDocs",
  area: "platform",
  method: "GET",
  path: "/docs",
  access: "public",
  summary: "The API reference, as a page to read and to try requests in",
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
  description: "Compressed by gzip, whatever the request accepts. A name stands for its contents: caches may keep it.",
  request: { path: z.object({ name: z.string().max(200).describe("The name that the page loads.") }) },
  replies: { 200: { description: "The script.", bytes: true, contentType: "text/javascript; charset=utf-8" } },
  faults: ["route_not_found"],
});

export const getDocsSignedIn = defineContract({
  operation: "getDocsSignedIn",
  area: "platform",
  method: "GET",
  path: REFERENCE_SIGNED_IN_PATH,
  access: "public",
  summary: "Where the API reference's sign-in window ends",
  description: "The reference reads the code from the address of this window and closes it.",
  request: {},
  replies: { 200: { description: "The page.", body: z.string(), contentType: "text/html; charset=utf-8" } },
  faults: [],
});
