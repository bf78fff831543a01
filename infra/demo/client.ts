export interface DemoRequest {
  readonly token?: string;
  readonly body?: unknown;
  readonly form?: Record<string, string>;
  readonly idempotencyKey?: string;
  /** A body that is sent as it is. */
  readonly raw?: { readonly body: string; readonly headers: Readonly<Record<string, string>> };
}

export interface DemoReply {
  readonly status: number;
  readonly body: unknown;
  readonly milliseconds: number;
}

export type DemoClient = (method: string, path: string, request?: DemoRequest) => Promise<DemoReply>;

const contentOf = ({ body, form, raw }: DemoRequest): { headers: Record<string, string>; body: string | null } => {
  if (raw) return { headers: { ...raw.headers }, body: raw.body };
  if (form) {
    return {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(form).toString(),
    };
  }
  if (body === undefined) return { headers: {}, body: null };
  return { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
};

/** A client of the platform's HTTP API. */
export const demoClient =
  (baseUrl: string, extra: Readonly<Record<string, string>> = {}): DemoClient =>
  async (method, path, request = {}) => {
    const content = contentOf(request);
    const start = performance.now();
    const reply = await fetch(`${baseUrl}${path}`, {
      method,
      body: content.body,
      headers: {
        ...content.headers,
        ...extra,
        ...(request.token ? { authorization: `Bearer ${request.token}` } : {}),
        ...(request.idempotencyKey ? { "idempotency-key": request.idempotencyKey } : {}),
      },
    });
    const text = await reply.text();
    const json = reply.headers.get("content-type")?.startsWith("application/json");
    return { status: reply.status, body: json ? JSON.parse(text) : text, milliseconds: performance.now() - start };
  };
