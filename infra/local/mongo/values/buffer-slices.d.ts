/** Methods that Node has and its types leave out: `toString` without looking up the encoding. */
declare global {
  interface Buffer {
    utf8Slice(start?: number, end?: number): string;
    latin1Slice(start?: number, end?: number): string;
    utf8Write(text: string, offset: number): number;
    latin1Write(text: string, offset: number, length: number): number;
  }
}

export {};
