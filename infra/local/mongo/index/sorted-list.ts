/** Whether an entry is before a position in the order. Must be monotone: true…true false…false. */
export type Before<K> = (key: K) => boolean;

interface Chunk<K> {
  keys: K[];
  rids: number[];
}

const chunkLimit = 512;

/**
 * Keys with record numbers, ordered by both, in a tree of two levels. A million entries have about three thousand
 * chunks: an insertion moves a few hundred pointers, and a search takes about twenty comparisons.
 */
export class SortedList<K> {
  #chunks: Chunk<K>[] = [];
  #compare: (a: K, b: K) => number;
  size = 0;

  constructor(compare: (a: K, b: K) => number) {
    this.#compare = compare;
  }

  insert(key: K, rid: number): void {
    this.size++;
    const chunks = this.#chunks;
    if (chunks.length === 0) {
      chunks.push({ keys: [key], rids: [rid] });
      return;
    }
    const at = this.#chunkOf(key, rid);
    const chunk = chunks[at] as Chunk<K>;
    const { keys, rids } = chunk;
    const i = this.#indexIn(chunk, key, rid);
    if (i === keys.length) {
      keys.push(key);
      rids.push(rid);
    } else {
      keys.splice(i, 0, key);
      rids.splice(i, 0, rid);
    }
    if (keys.length <= chunkLimit) return;
    // Ascending insertions fill chunks completely; others split them in the middle.
    const cut = at === chunks.length - 1 && i === keys.length - 1 ? keys.length - 1 : keys.length >> 1;
    chunks.splice(at + 1, 0, { keys: keys.splice(cut), rids: rids.splice(cut) });
  }

  remove(key: K, rid: number): void {
    if (this.#chunks.length === 0) return;
    const at = this.#chunkOf(key, rid);
    const chunk = this.#chunks[at] as Chunk<K>;
    const i = this.#indexIn(chunk, key, rid);
    if (chunk.rids[i] !== rid || this.#compare(chunk.keys[i] as K, key) !== 0) return;
    chunk.keys.splice(i, 1);
    chunk.rids.splice(i, 1);
    this.size--;
    if (chunk.keys.length === 0) this.#chunks.splice(at, 1);
  }

  /** Fills an empty list. */
  load(entries: { key: K; rid: number }[]): void {
    entries.sort((a, b) => this.#compare(a.key, b.key) || a.rid - b.rid);
    this.#chunks = [];
    for (let i = 0; i < entries.length; i += chunkLimit) {
      const part = entries.slice(i, i + chunkLimit);
      this.#chunks.push({ keys: part.map((entry) => entry.key), rids: part.map((entry) => entry.rid) });
    }
    this.size = entries.length;
  }

  /** The first record number with this key, or -1. */
  first(before: Before<K>, isEqual: (key: K) => boolean): number {
    const [c, i] = this.#position(before);
    const chunk = this.#chunks[c];
    return chunk !== undefined && isEqual(chunk.keys[i] as K) ? (chunk.rids[i] as number) : -1;
  }

  /** Visits from `low` until `high`. Stops and returns true when the visitor returns true. */
  scan(low: Before<K>, high: Before<K>, visit: (rid: number, key: K) => boolean): boolean {
    const [startChunk, start] = this.#position(low);
    const [endChunk, end] = this.#position(high);
    for (let c = startChunk; c <= endChunk && c < this.#chunks.length; c++) {
      const { keys, rids } = this.#chunks[c] as Chunk<K>;
      const last = c === endChunk ? end : keys.length;
      for (let i = c === startChunk ? start : 0; i < last; i++) if (visit(rids[i] as number, keys[i] as K)) return true;
    }
    return false;
  }

  scanBack(low: Before<K>, high: Before<K>, visit: (rid: number, key: K) => boolean): boolean {
    const [startChunk, start] = this.#position(low);
    const [endChunk, end] = this.#position(high);
    for (let c = Math.min(endChunk, this.#chunks.length - 1); c >= startChunk; c--) {
      const { keys, rids } = this.#chunks[c] as Chunk<K>;
      const first = c === startChunk ? start : 0;
      for (let i = (c === endChunk ? end : keys.length) - 1; i >= first; i--)
        if (visit(rids[i] as number, keys[i] as K)) return true;
    }
    return false;
  }

  /** An estimate of the number of entries between two positions. */
  estimate(low: Before<K>, high: Before<K>): number {
    const [startChunk, start] = this.#position(low);
    const [endChunk, end] = this.#position(high);
    if (startChunk === endChunk) return Math.max(0, end - start);
    const average = this.size / Math.max(1, this.#chunks.length);
    const first = (this.#chunks[startChunk]?.keys.length ?? 0) - start;
    return Math.max(0, Math.round(first + (endChunk - startChunk - 1) * average + end));
  }

  #position(before: Before<K>): [number, number] {
    const chunks = this.#chunks;
    let low = 0;
    let high = chunks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const { keys } = chunks[middle] as Chunk<K>;
      if (before(keys[keys.length - 1] as K)) low = middle + 1;
      else high = middle;
    }
    const chunk = chunks[low];
    if (chunk === undefined) return [low, 0];
    let from = 0;
    let to = chunk.keys.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (before(chunk.keys[middle] as K)) from = middle + 1;
      else to = middle;
    }
    return [low, from];
  }

  /** The last chunk that begins at or before the entry. */
  #chunkOf(key: K, rid: number): number {
    const chunks = this.#chunks;
    let low = 0;
    let high = chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const chunk = chunks[middle] as Chunk<K>;
      const order = this.#compare(chunk.keys[0] as K, key) || (chunk.rids[0] as number) - rid;
      if (order <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #indexIn(chunk: Chunk<K>, key: K, rid: number): number {
    let from = 0;
    let to = chunk.keys.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      const order = this.#compare(chunk.keys[middle] as K, key) || (chunk.rids[middle] as number) - rid;
      if (order < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
