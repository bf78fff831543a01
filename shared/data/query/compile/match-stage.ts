import type { Document } from "mongodb";

/** `$match` of all filters that say anything; side by side under `$and`, so that none can displace another. */
export const matchStage = (filters: readonly (Document | null)[]): Document[] => {
  const given = filters.filter((filter): filter is Document => filter !== null && Object.keys(filter).length > 0);
  if (given.length === 0) return [];
  return [{ $match: given.length === 1 ? given[0] : { $and: given } }];
};
