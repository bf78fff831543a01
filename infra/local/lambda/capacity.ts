/** The limit of execution environments on this machine, over all functions. */
export interface Capacity {
  /**
   * Reserves capacity, if allowed by ending the environment that has been idle longest. False if there is none, or if
   * other members have wanted it before.
   */
  take(fromIdle?: boolean, member?: CapacityMember): boolean;
  give(): void;
  join(member: CapacityMember): void;
  leave(member: CapacityMember): void;
  /** Whether a member waits for capacity. */
  want(member: CapacityMember, wants: boolean): void;
  /** Whether others wait for capacity. */
  isWanted(besides: CapacityMember): boolean;
  /** An equal part for each member that has environments or waits for one. */
  share(): number;
  /** Limits concurrent starts, because starts take processor time and waiting ones may become unnecessary. */
  readonly starting: { count: number; readonly limit: number };
}

export interface CapacityMember {
  /** The number of environments; left out by members that never yield any. */
  size?(): number;
  /** When the longest idle environment became idle; undefined if none is idle. */
  idleSince(): number | undefined;
  /** Ends that environment, and frees its capacity at once. */
  endIdle(): void;
}

export const capacity = (limit: number, startingLimit: number): Capacity => {
  const members = new Set<CapacityMember>();
  /** In the order of waiting. */
  const wanting = new Set<CapacityMember>();
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
  /** How many others have waited for longer. */
  const ahead = (member: CapacityMember | undefined): number => {
    let count = 0;
    for (const other of wanting) {
      if (other === member) break;
      count++;
    }
    return count;
  };
  return {
    take: (fromIdle = true, member = undefined) => {
      if (taken >= limit && fromIdle) longestIdle()?.endIdle();
      if (limit - taken <= ahead(member)) return false;
      taken++;
      return true;
    },
    give: () => void taken--,
    join: (member) => void members.add(member),
    leave: (member) => {
      members.delete(member);
      wanting.delete(member);
    },
    want: (member, wants) => {
      if (wants) wanting.add(member);
      else wanting.delete(member);
    },
    isWanted: (besides) => wanting.size > (wanting.has(besides) ? 1 : 0),
    share: () => {
      const active = [...members].filter((member) => wanting.has(member) || (member.size?.() ?? 0) > 0);
      return limit / Math.max(active.length, 1);
    },
    starting: { count: 0, limit: startingLimit },
  };
};
