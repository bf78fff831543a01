import type { BrowserRequest } from "../identity.ts";
import type { Device } from "../sessions/device.ts";

/** Facts about a browser's request, besides the input. */
export interface BrowserFacts {
  readonly device: Device;
  /** Host and port that the browser addressed. */
  readonly host: string;
  readonly cookies: ReadonlyMap<string, string>;
}

export interface Provenance {
  readonly origin?: string | undefined;
  readonly "sec-fetch-site"?: string | undefined;
}

/** A request for a page. */
export interface Visit {
  readonly query: BrowserRequest;
  readonly request: BrowserFacts;
}

/** A submitted form. */
export interface Submission<B extends object = object> {
  readonly headers: Provenance;
  readonly body: B & { readonly form_token: string };
  readonly request: BrowserFacts;
}

/** A submitted form on the way to authorizing an app. */
export type Step<B extends object = object> = Submission<B> & { readonly query: BrowserRequest };
