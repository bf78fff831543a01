import { randomBytes, randomInt } from "node:crypto";
import type { Principal } from "./principal.ts";

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

export interface IssuedCredentials extends Credentials {
  readonly principal: Principal;
}

const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The access keys of one run. Each function and the operator has its own. */
export const keyring = () => {
  const issued = new Map<string, IssuedCredentials>();
  return {
    issue: (principal: Principal): Credentials => {
      const credentials = {
        accessKeyId: `ASIA${Array.from({ length: 16 }, () => base32[randomInt(32)]).join("")}`,
        secretAccessKey: randomBytes(30).toString("base64"),
        sessionToken: randomBytes(48).toString("base64"),
        principal,
      };
      issued.set(credentials.accessKeyId, credentials);
      return credentials;
    },
    find: (accessKeyId: string): IssuedCredentials | undefined => issued.get(accessKeyId),
  };
};

export type Keyring = ReturnType<typeof keyring>;
