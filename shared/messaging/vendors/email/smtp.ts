import { Readable } from "node:stream";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { smtpValue } from "#contracts/vendor-credentials";
import { elapsedMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { redactionOf } from "#shared/foundation/outbound/redact";
import { outboundSocket } from "#shared/foundation/outbound/socket";
import { credentialValue } from "../call.ts";
import type { Account, Answer, OutgoingEmail, Vendor, VendorCall } from "../vendor.ts";
import { mimeOf } from "./mime.ts";

interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
  readonly response?: string;
  readonly command?: string;
}

/** What a failure means. `isWritten`: the whole message was given to the connection. */
const answerOf = (error: SmtpError, isWritten: boolean): Answer => {
  const { responseCode, code, message } = error;
  const reason = error.response ?? message;
  if (responseCode !== undefined && responseCode >= 500) {
    // Wrong credentials can be mended by a person, and a server without TLS too.
    return code === "EAUTH" || code === "ETLS" ? { outcome: "retry", reason } : { outcome: "refused", reason };
  }
  if (responseCode !== undefined && responseCode >= 400) return { outcome: "retry", reason };
  return isWritten ? { outcome: "unclear", reason } : { outcome: "retry", reason };
};

const step = (work: (done: (error?: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => work((error) => (error ? reject(error) : resolve())));

/** An SMTP server. It takes a message twice if it is told to, and cannot be asked. */
export const smtp = ({ value }: Account): Vendor<OutgoingEmail> => {
  const { host, port, username, password, secure, ca } = credentialValue(smtpValue, value, "smtp");
  const redaction = redactionOf(password === undefined ? [] : [password]);

  const exchange = async (email: OutgoingEmail, within: number): Promise<Answer> => {
    const start = elapsedMillis();
    const raw = await mimeOf(email);
    const socket = await outboundSocket(host, port, within);
    const left = Math.max(1, Math.floor(within - (elapsedMillis() - start)));
    const connection = new SMTPConnection({
      host,
      port,
      connection: socket,
      secure: secure === "tls",
      // The server cannot take it away: without STARTTLS the connection fails.
      requireTLS: secure === "starttls",
      ignoreTLS: secure === "none",
      tls: { minVersion: "TLSv1.2", ...(ca !== undefined && { ca }) },
      connectionTimeout: left,
      greetingTimeout: left,
      socketTimeout: left,
      logger: false,
    });
    let isWritten = false;
    const failure = new Promise<never>((_, reject) => {
      connection.once("error", reject);
      connection.once("end", () => reject(new Error("The server has closed the connection.")));
    });
    failure.catch(() => undefined);
    const signal = AbortSignal.timeout(left);
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error(`The server did not answer within ${within} ms.`)), {
        once: true,
      });
    });
    late.catch(() => undefined);
    const inTime = <T>(work: Promise<T>): Promise<T> => Promise.race([work, failure, late]);
    try {
      await inTime(step((done) => connection.connect(done)));
      if (username !== undefined && password !== undefined) {
        await inTime(step((done) => connection.login({ credentials: { user: username, pass: password } }, done)));
      }
      const content = Readable.from([raw]);
      content.once("end", () => {
        isWritten = true;
      });
      const envelope = { from: email.from.email, to: [...new Set([...email.to, ...email.cc, ...email.bcc])] };
      const info = await inTime(
        new Promise<SMTPConnection.SentMessageInfo>((resolve, reject) =>
          connection.send(envelope, content, (error, sent) => (error ? reject(error) : resolve(sent))),
        ),
      );
      connection.quit();
      const rejected = (info.rejectedErrors ?? []).map((error) => ({
        email: String((error as { recipient?: string }).recipient ?? ""),
        reason: redaction.text(error.response ?? error.message),
      }));
      const [, given] = /\bqueued as\s+(\S+)/i.exec(info.response) ?? [];
      return {
        outcome: "accepted",
        ...(given !== undefined && { vendor_message_id: given }),
        ...(rejected.length > 0 && { rejected }),
      };
    } catch (error) {
      return answerOf(error as SmtpError, isWritten);
    } finally {
      setTimeout(() => connection.close(), 50).unref();
    }
  };

  const send = async (email: OutgoingEmail, { within }: VendorCall): Promise<Answer> => {
    try {
      const answer = await exchange(email, within);
      return "reason" in answer ? { ...answer, reason: redaction.text(answer.reason) } : answer;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const reason = redaction.text(error.message);
      return { outcome: error.code === "integration_refused" ? "refused" : "retry", reason };
    }
  };

  return { name: "smtp", deduplicates: false, send };
};
