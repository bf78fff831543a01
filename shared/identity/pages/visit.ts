import type { BrowserRequest } from "../identity.ts";
import type { Device } from "../sessions/device.ts";

/** What a browser's request tells beside what the person typed. */
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

/** A page that is looked at. */
export interface Visit {
  readonly query: BrowserRequest;
  readonly request: BrowserFacts;
}

/** A form that is sent. */
export interface Submission<B extends object = object> {
  readonly headers: Provenance;
  readonly body: B & { readonly form_token: string };
  readonly request: BrowserFacts;
}

/** A form that is sent on the way to letting an app in. */
export type Step<B extends object = object> = Submission<B> & { readonly query: BrowserRequest };
