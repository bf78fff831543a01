/** An expected reason why the platform cannot start, in one sentence, printed without a stack. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
