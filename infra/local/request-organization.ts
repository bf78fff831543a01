const mostKept = 1000;

/**
 * The organization of a request, from the handler's own log line: JSON with `request_id` and `organization`. Undefined
 * for other lines.
 */
export const requestOrganizations = () => {
  const known = new Map<string, string>();
  return {
    read: (line: string): void => {
      const organization = /"organization":"([^"]+)"/.exec(line)?.[1];
      const requestId = organization && /"request_id":"([^"]+)"/.exec(line)?.[1];
      if (organization === undefined || requestId === undefined) return;
      known.set(requestId, organization);
      if (known.size > mostKept) known.delete(known.keys().next().value ?? "");
    },
    take: (requestId: string): string | undefined => {
      const organization = known.get(requestId);
      known.delete(requestId);
      return organization;
    },
  };
};
