import { Fault } from "#shared/foundation/faults";

export interface Refusal {
  readonly status: 422 | 429;
  readonly message: string;
  readonly headers: Record<string, string>;
}

const waitOf = (seconds: number): string => {
  if (seconds < 60) return "Wait a minute";
  const minutes = Math.ceil(seconds / 60);
  return `Wait ${minutes} ${minutes === 1 ? "minute" : "minutes"}`;
};

/** The message for the page. A fault that is not in `codes` is raised again. */
export const refusalOf = (error: unknown, codes: readonly Fault["code"][]): Refusal => {
  if (!(error instanceof Fault)) throw error;
  const { code, message } = error;
  if (code === "too_many_attempts") {
    const retryAfter = error.headers["retry-after"] ?? "60";
    const text = `${message.split(/[;.]/, 1)[0]}. ${waitOf(Number(retryAfter))} and try again.`;
    return { status: 429, message: text, headers: { "retry-after": retryAfter } };
  }
  if (!codes.includes(code)) throw error;
  return { status: 422, message, headers: {} };
};
