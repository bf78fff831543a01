import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { platformUrl } from "../../platform.ts";

export const newEmail = (): string => `someone-${randomBytes(6).toString("hex")}@example.test`;

export const newPassword = "correct horse battery staple";

export interface LoginAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly code: string | undefined;
  /** The id of a pending sign-in. */
  readonly sessionId: string | undefined;
}

/** Signs in from a chosen address, because all of 127.0.0.0/8 is this machine. */
export const loginFrom = (address: string, username: string, password: string): Promise<LoginAnswer> => {
  const body = new URLSearchParams({ username, password }).toString();
  return new Promise((resolve, reject) => {
    const sending = request(
      `${platformUrl}/v1/oauth2/login`,
      { method: "POST", localAddress: address, headers: { "content-type": "application/x-www-form-urlencoded" } },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on("data", (chunk: Buffer) => chunks.push(chunk));
        reply.on("end", () => {
          const answer = JSON.parse(Buffer.concat(chunks).toString("utf8"));
          const { code, session_id: sessionId } = answer;
          resolve({ status: reply.statusCode ?? 0, retryAfter: reply.headers["retry-after"], code, sessionId });
        });
      },
    );
    sending.on("error", reject);
    sending.end(body);
  });
};
