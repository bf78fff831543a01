import type * as z from "zod";
import type { Contract } from "#contracts/contract";

export interface Reply<S extends number = number, B = unknown> {
  readonly status: S;
  readonly body: B;
  readonly headers: Readonly<Record<string, string>>;
  /** `Set-Cookie` values. */
  readonly cookies?: readonly string[];
}

/** A reply. The compiler checks its status and body against the contract in `endpoint()`. */
export const reply = <const S extends number, B = undefined>(
  status: S,
  body?: B,
  headers: Readonly<Record<string, string>> = {},
): Reply<S, B> => ({ status, body: body as B, headers });

type BodyOf<R> =
  | (R extends { readonly body: infer B extends z.ZodType }
      ? z.input<B>
      : R extends { readonly bytes: true }
        ? Uint8Array
        : undefined)
  | (R extends { readonly alternatives: object } ? string : never);

/** Every reply that a contract allows, as a union. */
export type ReplyOf<C extends Contract> = {
  [S in keyof C["replies"] & number]: Reply<S, BodyOf<C["replies"][S]>>;
}[keyof C["replies"] & number];
