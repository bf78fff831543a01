import { type Source, sourceOf } from "../execution/cursors.ts";
import { countMemory, shouldYield } from "../foundation/budget.ts";
import { type Coroutine, needYield } from "../foundation/coroutine.ts";
import { Doc } from "../values/document.ts";
import { documentSize, encoded } from "../values/encoding.ts";
import { memoryOf } from "../values/estimated-size.ts";
import type { Stage } from "./stage.ts";

/** Visits all documents of a source. */
export function* each(source: Source, visit: (doc: Doc) => void): Coroutine<void> {
  while (!visitUntilYield(source, visit)) yield;
}

/**
 * Visits until the source ends; false if it has to yield before. V8 optimizes a plain function better than a generator.
 */
function visitUntilYield(source: Source, visit: (doc: Doc) => void): boolean {
  for (let doc = source(); doc !== undefined; doc = source()) {
    if (doc === needYield) return false;
    visit(doc);
  }
  return true;
}

/** Stored documents as views, so that they do not keep the fields that stages parse. */
export function viewsOf(docs: readonly Doc[]): Source {
  let at = 0;
  return () => (shouldYield() ? needYield : docs[at++]?.view());
}

/** All documents of a source, in memory. */
export function* drain(source: Source): Coroutine<Doc[]> {
  const docs: Doc[] = [];
  yield* each(source, (doc) => {
    countMemory(memoryOf(doc));
    docs.push(doc);
  });
  return docs;
}

/** All documents of a source as bytes, which take less memory than their fields. */
export function* drainAsBytes(source: Source): Coroutine<Doc[]> {
  const docs: Doc[] = [];
  yield* each(source, (doc) => {
    const bytes = encoded(doc);
    countMemory(bytes === doc ? memoryOf(doc) : memoryOf(bytes) + documentSize(bytes));
    docs.push(bytes);
  });
  return docs;
}

/** A source that is computed completely when its first document is read. */
export function lazySource(make: () => Coroutine<readonly Doc[]>): Source {
  return deferredSource(function* () {
    return sourceOf(yield* make());
  });
}

/** A source that is opened when its first document is read. */
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

/** Maps each document to one document. The work on one may yield. */
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
