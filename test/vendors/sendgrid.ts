import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";

/** A mail that the vendor was given. */
export interface GivenMail {
  /** Our id of the message, by which INBOUND events are matched. */
  readonly id: string;
  readonly apiKey: string;
  // biome-ignore lint/suspicious/noExplicitAny: a body as the vendor documents it; tests assert on its parts.
  readonly body: any;
}

/**
 * What the server does with a call. `accept` and the statuses are documented; the others are failures of the network.
 * `cut-before`, `cut-after`: the connection ends without an answer, and the mail is not accepted or is. `slow`: it is
 * accepted, and the answer comes too late.
 */
export type Behaviour =
  | "accept"
  | "malformed"
  | "cut-before"
  | "cut-after"
  | { readonly slow: number }
  | {
      readonly status: number;
      readonly message?: string;
      readonly field?: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** Whether it is accepted although the status says otherwise. */
      readonly accepts?: boolean;
    };

/** `answered`: the answer was given to the network. */
export type Step = "connected" | "called" | "answered";

const reply = (response: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>>) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

const errors = (message: string, field?: string) => ({ errors: [{ message, field: field ?? null, help: null }] });

/** SendGrid's v3 mail/send, as https://www.twilio.com/docs/sendgrid/api-reference/mail-send describes it. */
export const startSendGrid = async ({ apiKey = "SG.test-key-that-nobody-may-see" } = {}) => {
  const calls: GivenMail[] = [];
  const accepted: GivenMail[] = [];
  let behave: (mail: GivenMail, call: number) => Behaviour = () => "accept";
  let onStep: (step: Step) => void = () => undefined;

  const accept = (mail: GivenMail, response: ServerResponse) => {
    accepted.push(mail);
    return response.writeHead(202, { "x-message-id": `sg-${accepted.length}` }).end();
  };

  const refusalOf = ({ body }: GivenMail): string | undefined => {
    const [personalization] = body.personalizations ?? [];
    if (!personalization?.to?.length) return "The to array is required for all personalization objects.";
    const { to, cc = [], bcc = [] } = personalization;
    const all = [...to, ...cc, ...bcc].map(({ email }: { email: string }) => email);
    if (new Set(all).size < all.length) {
      return "Each unique email address in the personalizations array should only be included once.";
    }
    if (!body.subject) return "The subject is required.";
    if (!body.content?.every(({ value }: { value: string }) => value.length > 0)) return "The content is required.";
    return undefined;
  };

  const answer = async (mail: GivenMail, response: ServerResponse): Promise<unknown> => {
    if (mail.apiKey !== apiKey) {
      return reply(response, 401, errors("The provided authorization grant is invalid, expired, or revoked"), {});
    }
    const behaviour = behave(mail, calls.length);
    if (typeof behaviour === "object" && "status" in behaviour) {
      const { status, message = "too many requests", field, headers = {}, accepts = false } = behaviour;
      if (accepts) accepted.push(mail);
      return reply(response, status, errors(message, field), headers);
    }
    if (behaviour === "cut-before") return response.destroy();
    if (behaviour === "cut-after" || behaviour === "malformed") {
      accepted.push(mail);
      if (behaviour === "cut-after") return response.destroy();
      return response.socket?.end("HTTP/1.1 2O2 Accepted\r\n\r\n");
    }
    const refusal = refusalOf(mail);
    if (refusal !== undefined) return reply(response, 400, errors(refusal, "personalizations"), {});
    if (typeof behaviour === "object") {
      accepted.push(mail);
      await setTimeout(behaviour.slow);
      return response.writeHead(202).end();
    }
    return accept(mail, response);
  };

  const server = createServer(async (request, response): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method !== "POST" || request.url !== "/v3/mail/send") {
      reply(response, 404, errors("Resource not found"), {});
      return;
    }
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const id = body.personalizations?.[0]?.custom_args?.tenantry_id ?? "";
    const key = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
    const mail = { id, apiKey: key, body };
    calls.push(mail);
    onStep("called");
    response.once("finish", () => onStep("answered"));
    await answer(mail, response);
  });
  server.on("connection", () => onStep("connected"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    /** Every call, also those that were not accepted. */
    calls,
    /** What the vendor will send: a message here twice is a mail that somebody gets twice. */
    accepted,
    origin: `http://127.0.0.1:${port}`,
    apiKey,
    /** Decides about each call from now on. `call` counts from 1. */
    behave: (next: (mail: GivenMail, call: number) => Behaviour): void => {
      behave = next;
    },
    /** Called at each step of each call, so that a test can end the platform there. */
    watch: (next: (step: Step) => void): void => {
      onStep = next;
    },
    acceptedTimes: (id: string): number => accepted.filter((mail) => mail.id === id).length,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

export type SendGrid = Awaited<ReturnType<typeof startSendGrid>>;
