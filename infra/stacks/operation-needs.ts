import type { Needs } from "../constructs/needs.ts";

/**
 * Operations that need more than their access implies (a token implies the database and the public keys). An operation
 * that is not listed here needs nothing more, so that a new contract is deployed without a change under `infra`.
 */
export const operationNeeds: Readonly<Record<string, Needs>> = {
  getStatus: { database: true, verifies: true },
};
