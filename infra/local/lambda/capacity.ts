/** The limit of execution environments on this machine, over all functions. */
export interface Capacity {
  /** Reserves capacity, if allowed by ending the environment that has been idle longest. False if there is none. */
  take(fromIdle?: boolean): boolean;
  give(): void;
  join(member: CapacityMember): void;
  /** Limits concurrent starts, because starts take processor time and waiting ones may become unnecessary. */
  readonly starting: { count: number; readonly limit: number };
}

export interface CapacityMember {
  /** When the longest idle environment became idle; undefined if none is idle. */
  idleSince(): number | undefined;
  /** Ends that environment, and frees its capacity at once. */
  endIdle(): void;
}

export const capacity = (limit: number, startingLimit: number): Capacity => {
  const members: CapacityMember[] = [];
  let taken = 0;
  const longestIdle = (): CapacityMember | undefined => {
    let found: CapacityMember | undefined;
    let since = Number.POSITIVE_INFINITY;
    for (const member of members) {
      const candidate = member.idleSince();
      if (candidate !== undefined && candidate < since) {
        since = candidate;
        found = member;
      }
    }
    return found;
  };
  return {
    take: (fromIdle = true) => {
      if (taken >= limit && fromIdle) longestIdle()?.endIdle();
      if (taken >= limit) return false;
      taken++;
      return true;
    },
    give: () => void taken--,
    join: (member) => void members.push(member),
    starting: { count: 0, limit: startingLimit },
  };
};
