import { createConnection, type Socket } from "node:net";
import { Fault } from "../faults.ts";
import { checkedAddress } from "./resolve.ts";

const failed = (message: string, cause?: unknown): Fault => new Fault("integration_failed", { message, cause });

/** Ports of the submission of mail, besides those that belong to no protocol. */
const allowedBelow1024 = [465, 587];

/**
 * A connection over TCP to an address that a tenant has chosen. The address is checked, and is the one that is used.
 * @throws Fault integration_refused if the platform does not connect there, integration_failed if nobody answers
 */
export const outboundSocket = async (host: string, port: number, within: number): Promise<Socket> => {
  if (port < 1024 && !allowedBelow1024.includes(port)) {
    throw new Fault("integration_refused", { message: `Connections to port ${port} are not allowed.` });
  }
  const signal = AbortSignal.timeout(Math.max(Math.floor(within), 1));
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(failed(`${host} did not answer within ${within} ms.`)), {
      once: true,
    });
  });
  // The race may have been decided before.
  late.catch(() => undefined);
  const { address, family } = await Promise.race([checkedAddress(host), late]);
  const socket = createConnection({ host: address, port, family });
  const connected = new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", (cause) => reject(failed(`${host} does not accept connections at port ${port}.`, cause)));
  });
  try {
    await Promise.race([connected, late]);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
};
