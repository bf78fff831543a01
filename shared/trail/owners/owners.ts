/** What the owners of an organization are told by mail. */

export { notifyOwners } from "./notify.ts";
export { notifyOfStoppedClients } from "./stopped-clients.ts";
