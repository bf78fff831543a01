import { Failure } from "../failure.ts";
import { canAsk } from "./terminal.ts";

const interrupted = (): Failure => new Failure("interrupted", "Cancelled: nothing was changed.");

/** @throws Failure that says what to type instead, if no prompt is possible */
const requireSomebody = (hint: string): void => {
  if (!canAsk()) throw new Failure("usage", "This needs an answer, and there is no terminal to ask on.", { hint });
};

interface Question {
  readonly message: string;
  /** What to type instead, if no prompt is possible. */
  readonly otherwise: string;
}

const given = (value: string | undefined): string | undefined => (value?.trim() ? undefined : "Please type something.");

interface TextOptions {
  /** The default answer. */
  readonly initial?: string | undefined;
  /** Cancels the prompt. */
  readonly signal?: AbortSignal;
}

export const askText = async (
  { message, otherwise }: Question,
  { initial, signal }: TextOptions = {},
): Promise<string> => {
  requireSomebody(otherwise);
  const { text, isCancel } = await import("@clack/prompts");
  const suggestion = initial === undefined ? { validate: given } : { placeholder: initial, defaultValue: initial };
  const answer = await text({ message, output: process.stderr, ...suggestion, ...(signal && { signal }) });
  if (isCancel(answer)) throw interrupted();
  return answer.trim();
};

export const askSecret = async ({ message, otherwise }: Question): Promise<string> => {
  requireSomebody(otherwise);
  const { password, isCancel } = await import("@clack/prompts");
  const answer = await password({
    message,
    output: process.stderr,
    validate: (value) => (value ? undefined : "Please type it."),
  });
  if (isCancel(answer)) throw interrupted();
  return answer;
};

export const askWhether = async ({ message, otherwise }: Question): Promise<void> => {
  requireSomebody(otherwise);
  const { confirm, isCancel } = await import("@clack/prompts");
  const answer = await confirm({ message, output: process.stderr, initialValue: false });
  if (isCancel(answer) || !answer) throw interrupted();
};
