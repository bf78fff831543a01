/**
 * What a field was and what it is. `hidden` stands for a value that is secret, or that not everybody who reads the trail may
 * read; `cut` for one that is too large to be kept twice.
 */
export type Change =
  | { readonly from: unknown; readonly to: unknown }
  | { readonly hidden: true }
  | { readonly cut: true };

export type RecordedChanges = Readonly<Record<string, Change>>;
