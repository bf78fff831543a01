/**
 * Whether the text matches an IAM pattern, where `*` is any characters and `?` is one. The time is at most proportional
 * to the product of the lengths.
 */
export const matchesWildcard = (pattern: string, text: string): boolean => {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let resumeAt = 0;
  while (at < text.length) {
    const wanted = pattern[inPattern];
    if (wanted === "*") {
      star = inPattern++;
      resumeAt = at;
    } else if (wanted === "?" || wanted === text[at]) {
      inPattern++;
      at++;
    } else if (star >= 0) {
      inPattern = star + 1;
      at = ++resumeAt;
    } else return false;
  }
  while (pattern[inPattern] === "*") inPattern++;
  return inPattern === pattern.length;
};

/** Partition, service, region, account, and the rest with its own colons. */
const components = (arn: string): string[] => {
  const parts = arn.split(":");
  return [...parts.slice(0, 5), parts.slice(5).join(":")];
};

/** Matches an ARN by components: a wildcard does not match beyond one of the first five colons. */
export const matchesArn = (pattern: string, arn: string): boolean => {
  if (pattern === "*") return true;
  const wanted = components(pattern);
  return components(arn).every((component, index) => matchesWildcard(wanted[index] ?? "", component));
};
