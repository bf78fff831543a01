import type { HttpAnswer } from "./problem.ts";

/** On every answer, whatever it is: name → what it is for. */
export const commonHeaders = {
  "x-request-id": "The id of this request; quote it when you ask for help.",
} as const;

/** Nobody shall guess a content type, and every answer can be found in the logs. */
export const withCommonHeaders = (answer: HttpAnswer, requestId: string): HttpAnswer => ({
  ...answer,
  headers: { ...answer.headers, "x-request-id": requestId, "x-content-type-options": "nosniff" },
});
