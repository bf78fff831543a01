import { pino } from "pino";
import { env } from "./env.ts";

/**
 * Structured logs, one JSON object a line, on standard output, which Lambda collects. Paths that could hold secrets are
 * censored here.
 */
export const log = pino(
  {
    level: env.logLevel(),
    base: { function: env.functionName() },
    messageKey: "message",
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: ["password", "token", "*.password", "*.token", "*.access_token", "*.refresh_token", "*.authorization"],
      censor: "[redacted]",
    },
  },
  { write: (line: string) => void process.stdout.write(line) },
);

export type Log = typeof log;
