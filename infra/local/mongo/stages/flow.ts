import { type Source, sourceOf } from "../execution/cursors.ts";
import { countMemory, shouldYield } from "../foundation/budget.ts";
import { type Coroutine, needYield } from "../foundation/coroutine.ts";
import { Doc } from "../values/document.ts";
import { memoryOf } from "../values/estimated-size.ts";
import type { Stage } from "./stage.ts";

/** Visits all the documents of a source. */
export function* each(source: Source, visit: (doc: Doc) => void): Coroutine<void> {
  while (!visitUntilYield(source, visit)) yield;
}

/** Visits until the source is at its end; false if it pauses before. A plain function is compiled better than a routine. */
function visitUntilYield(source: Source, visit: (doc: Doc) => void): boolean {
  for (let doc = source(); doc !== undefined; doc = source()) {
    if (doc === needYield) return false;
    visit(doc);
  }
  return true;
}

/** Stored documents for stages that parse them: what they parse is forgotten with the view. */
export function viewsOf(docs: readonly Doc[]): Source {
  let at = 0;
  return () => (shouldYield() ? needYield : docs[at++]?.view());
}

/** All the documents of a source. */
export function* drain(source: Source): Coroutine<Doc[]> {
  const docs: Doc[] = [];
  yield* each(source, (doc) => {
    countMemory(memoryOf(doc));
    docs.push(doc);
  });
  return docs;
}

/** A source that is computed as a whole when its first document is asked for. */
export function lazySource(make: () => Coroutine<readonly Doc[]>): Source {
  return deferredSource(function* () {
    return sourceOf(yield* make());
  });
}

/** A source that is opened when its first document is asked for. */
export function deferredSource(open: () => Coroutine<Source>): Source {
  let opening: Coroutine<Source> | undefined;
  let source: Source | undefined;
  return () => {
    if (source === undefined) {
      opening ??= open();
      const step = opening.next();
      if (step.done !== true) return needYield;
      source = step.value;
      opening = undefined;
    }
    return source();
  };
}

/** One document out for each that comes in; the work on one may take several slices. */
export function mapDocuments(work: (doc: Doc) => Doc | Coroutine<Doc>): Stage {
  return (input) => {
    let running: Coroutine<Doc> | undefined;
    return () => {
      if (running === undefined) {
        const doc = input();
        if (doc === undefined || doc === needYield) return doc;
        const begun = work(doc);
        if (begun instanceof Doc) return begun;
        running = begun;
      }
      const step = running.next();
      if (step.done !== true) return needYield;
      running = undefined;
      return step.value;
    };
  };
}
