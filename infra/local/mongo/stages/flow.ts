import { type Source, sourceOf } from "../execution/cursors.ts";
import { hold, mustPause } from "../foundation/pace.ts";
import { pause, type Routine } from "../foundation/routine.ts";
import { Doc } from "../values/document.ts";
import { heldOf } from "../values/weight.ts";
import type { Stage } from "./stage.ts";

/** Visits all the documents of a source. */
export function* each(source: Source, visit: (doc: Doc) => void): Routine<void> {
  while (!visitOn(source, visit)) yield;
}

/** Visits until the source is at its end; false if it pauses before. A plain function is compiled better than a routine. */
function visitOn(source: Source, visit: (doc: Doc) => void): boolean {
  for (let doc = source(); doc !== undefined; doc = source()) {
    if (doc === pause) return false;
    visit(doc);
  }
  return true;
}

/** Stored documents for stages that parse them: what they parse is forgotten with the view. */
export function viewsOf(docs: readonly Doc[]): Source {
  let at = 0;
  return () => (mustPause() ? pause : docs[at++]?.view());
}

/** All the documents of a source. */
export function* drain(source: Source): Routine<Doc[]> {
  const docs: Doc[] = [];
  yield* each(source, (doc) => {
    hold(heldOf(doc));
    docs.push(doc);
  });
  return docs;
}

/** A source that is computed as a whole when its first document is asked for. */
export function lazily(make: () => Routine<readonly Doc[]>): Source {
  return opened(function* () {
    return sourceOf(yield* make());
  });
}

/** A source that is opened when its first document is asked for. */
export function opened(open: () => Routine<Source>): Source {
  let opening: Routine<Source> | undefined;
  let source: Source | undefined;
  return () => {
    if (source === undefined) {
      opening ??= open();
      const step = opening.next();
      if (step.done !== true) return pause;
      source = step.value;
      opening = undefined;
    }
    return source();
  };
}

/** One document out for each that comes in; the work on one may take several slices. */
export function mapping(work: (doc: Doc) => Doc | Routine<Doc>): Stage {
  return (input) => {
    let running: Routine<Doc> | undefined;
    return () => {
      if (running === undefined) {
        const doc = input();
        if (doc === undefined || doc === pause) return doc;
        const begun = work(doc);
        if (begun instanceof Doc) return begun;
        running = begun;
      }
      const step = running.next();
      if (step.done !== true) return pause;
      running = undefined;
      return step.value;
    };
  };
}
