/**
 * The values of a field before and after. `hidden`: the value is secret, or not every reader of the trail may read it. `cut`: the
 * value is too large to be stored twice.
 */
export type Change =
  | { readonly from: unknown; readonly to: unknown }
  | { readonly hidden: true }
  | { readonly cut: true };

export type RecordedChanges = Readonly<Record<string, Change>>;
