import { Refusal } from "../refusal.ts";

/**
 * The nodes in an order in which each comes after what it needs, and otherwise as given.
 * A circle is refused, and `describe` says what is turning in it.
 */
export const inOrder = (
  nodes: Iterable<string>,
  needs: (node: string) => Iterable<string>,
  describe: (circle: readonly string[]) => string,
): string[] => {
  const known = new Set(nodes);
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (node: string): void => {
    if (done.has(node)) return;
    if (path.includes(node)) throw new Refusal(describe([...path.slice(path.indexOf(node)), node]));
    path.push(node);
    for (const need of needs(node)) if (known.has(need) && need !== node) visit(need);
    path.pop();
    done.add(node);
  };
  for (const node of known) visit(node);
  return [...done];
};
