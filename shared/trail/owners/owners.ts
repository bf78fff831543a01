/** What the owners of an organization are told by mail. */
export { tellOfStoppedClients } from "./stopped-clients.ts";
export { tellOwners } from "./telling.ts";
