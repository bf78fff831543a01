import type { AddressInfo, Socket } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { selfSigned } from "../setup/certificate.ts";

/** Where the server ends the connection without an answer. `accepted`: after it has taken the message. */
type CutAt = "connect" | "mail" | "rcpt" | "data" | "accepted";

/** What the server does with a connection. A code of an answer is from RFC 5321. */
export interface SmtpBehaviour {
  readonly cut?: CutAt;
  readonly mail?: number;
  /** For one recipient or all of them. */
  readonly rcpt?: Readonly<Record<string, number>> | number;
  readonly data?: number;
  /** Milliseconds before it answers that it has taken the message. */
  readonly slow?: number;
}

export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly secure: boolean;
  readonly user: string | undefined;
}

interface Options {
  /** `tls`: from the first byte. `starttls`: offered. `none`: not offered, as if somebody had stripped it. */
  readonly secure?: "tls" | "starttls" | "none";
  readonly username?: string;
  readonly password?: string;
}

const refusal = (responseCode: number): Error =>
  Object.assign(new Error(`refused with ${responseCode}`), { responseCode });

/** An SMTP server (RFC 5321) of the package smtp-server. */
export const startSmtp = async ({ secure = "none", username, password = "smtp-password-of-nobody" }: Options = {}) => {
  const taken: TakenMail[] = [];
  const commands: string[] = [];
  let behaviour: SmtpBehaviour = {};
  const { key, cert } = selfSigned("localhost");
  const sockets = new Set<Socket>();

  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };

  const options: SMTPServerOptions = {
    key,
    cert,
    secure: secure === "tls",
    authOptional: username === undefined,
    ...(secure === "none" && { disabledCommands: username === undefined ? ["STARTTLS", "AUTH"] : ["STARTTLS"] }),
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    onAuth: ({ username: user, password: given }, _session, done) => {
      if (user === username && given === password) done(null, { user });
      else done(Object.assign(new Error("5.7.8 Authentication failed"), { responseCode: 535 }));
    },
    onConnect: (_session, done) => {
      if (behaviour.cut === "connect") return cut();
      done();
    },
    onMailFrom: (_address, _session, done) => {
      commands.push("MAIL");
      if (behaviour.cut === "mail") return cut();
      done(behaviour.mail === undefined ? null : refusal(behaviour.mail));
    },
    onRcptTo: ({ address }, _session, done) => {
      commands.push("RCPT");
      if (behaviour.cut === "rcpt") return cut();
      const { rcpt } = behaviour;
      const code = typeof rcpt === "number" ? rcpt : rcpt?.[address];
      done(code === undefined ? null : refusal(code));
    },
    onData: (stream, session, done) => {
      commands.push("DATA");
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        if (behaviour.cut === "data") cut();
      });
      stream.on("end", () => {
        if (behaviour.cut === "data") return;
        if (behaviour.data !== undefined) return done(refusal(behaviour.data));
        const { mailFrom, rcptTo } = session.envelope;
        taken.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString(),
          secure: session.secure,
          user: session.user,
        });
        if (behaviour.cut === "accepted") return cut();
        setTimeout(() => done(null, `2.0.0 OK: queued as smtp-${taken.length}`), behaviour.slow ?? 0);
      });
    },
  };
  const server = new SMTPServer(options);
  server.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
  });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    taken,
    commands,
    host: "localhost",
    port,
    ca: cert,
    password,
    behave: (next: SmtpBehaviour): void => {
      behaviour = next;
    },
    stop: async () => {
      cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};

export type Smtp = Awaited<ReturnType<typeof startSmtp>>;
