/** How many execution environments there may be on this machine, over all functions. */
export interface Capacity {
  /** Takes one place, if need be and allowed from the environment that has been idle longest; false when there is none. */
  take(fromIdle?: boolean): boolean;
  give(): void;
  join(member: CapacityMember): void;
  /** At most so many environments start at the same time: a start is processor time, and waiting ones may become needless. */
  readonly starting: { count: number; readonly limit: number };
}

export interface CapacityMember {
  /** When the environment that has been idle longest became idle; undefined when none is idle. */
  idleSince(): number | undefined;
  /** Ends that environment; its place is free at once. */
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
