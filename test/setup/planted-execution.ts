import { createHash, randomBytes, randomUUID } from "node:crypto";

interface Planting {
  readonly organizationId: string;
  readonly user: { readonly id: string; readonly email: string };
  /** Of the capability token. */
  readonly deadline: Date;
  readonly leaseUntil: Date;
}

/** The document of a running execution as the dispatcher writes it, and its capability token. */
export const plantedExecution = ({ organizationId, user, deadline, leaseUntil }: Planting) => {
  const id = randomUUID();
  const secret = randomBytes(32).toString("base64url");
  const document = {
    _id: id,
    kind: "function",
    name: "planted.py",
    related_to: { id: "planted", schema: "function", name: "Planted" },
    place: "api",
    token_hash: createHash("sha256").update(secret).digest("base64url"),
    user: { id: user.id, name: "Planted", email: user.email },
    client_id: null,
    scope: "all",
    responsible: null,
    request_id: "planted",
    root: id,
    depth: 1,
    path: ["planted.py"],
    calls: 0,
    buffered: false,
    deadline,
    lease_until: leaseUntil,
    started: new Date(),
    inputs: {},
    replayable: true,
    status: "running",
    keyed: false,
  };
  return { document, token: `${organizationId}.${id}.${secret}` };
};
