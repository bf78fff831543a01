/** What stops the platform from starting, in one sentence for whoever started it; it is printed without a stack. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
