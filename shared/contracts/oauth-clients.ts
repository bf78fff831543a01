import * as z from "zod";
import { defineContract } from "./contract.ts";
import { adoption, clientId, createdOauthClient, newOauthClient, oauthClient } from "./oauth-bodies.ts";

export const createOauthClient = defineContract({
  operation: "createOauthClient",
  area: "identity",
  method: "POST",
  path: "/v1/auth/client",
  access: "admin",
  refusesApps: true,
  summary: "Register an app",
  description:
    "People of the organization can then let the app act for them. A confidential client with `run_as` can also " +
    "act alone, as that user; only an owner may choose an owner. The caller becomes the responsible " +
    "administrator: the client never has more rights than the caller has at that moment, and stops when the " +
    "caller is deactivated or no administrator any more, until another one adopts it.",
  request: { body: newOauthClient },
  replies: { 201: { description: "The app is registered.", body: createdOauthClient } },
  faults: [],
});

export const listOauthClients = defineContract({
  operation: "listOauthClients",
  area: "identity",
  method: "GET",
  path: "/v1/auth/client",
  access: "admin",
  refusesApps: true,
  summary: "The organization's apps",
  request: {},
  replies: {
    200: {
      description: "All of them, oldest first, without secrets.",
      body: z.object({ clients: z.array(oauthClient) }).meta({ id: "OauthClients" }),
    },
  },
  faults: [],
});

export const deleteOauthClient = defineContract({
  operation: "deleteOauthClient",
  area: "identity",
  method: "DELETE",
  path: "/v1/auth/client/{id}",
  access: "admin",
  refusesApps: true,
  summary: "Remove an app",
  description: "All of its tokens stop working at once, and what it has set up for later fails when its time comes.",
  request: { path: z.object({ id: clientId }) },
  replies: { 204: { description: "The app is removed." } },
  faults: ["client_not_found"],
});

export const adoptOauthClient = defineContract({
  operation: "adoptOauthClient",
  area: "identity",
  method: "POST",
  path: "/v1/auth/client/{id}/adopt",
  access: "admin",
  refusesApps: true,
  summary: "Answer for an app",
  description:
    "Makes the caller the responsible administrator, for example after the former one has left. A client that " +
    "acts alone is issued no tokens until then. As for registering, only an owner may be responsible for one " +
    "that acts as an owner. Access tokens that were issued before stay bound to the former administrator.",
  request: { path: z.object({ id: clientId }), body: adoption },
  replies: { 200: { description: "The app, with its secret if a new one was requested.", body: createdOauthClient } },
  faults: ["client_not_found"],
});
