import { Refusal } from "../refusal.ts";

/** Sorts nodes topologically, and otherwise keeps their order. A cycle is refused with a description of its nodes. */
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
