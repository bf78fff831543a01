import * as z from "zod";
import { Refusal } from "./refusal.ts";
import type { SdkCall } from "./sdk/call.ts";

/** One resource of a template, with resolved intrinsics. */
export interface ResourceRequest {
  readonly stack: string;
  readonly logicalId: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The values of `Ref` and `Fn::GetAtt` for a created resource. */
export interface CreatedResource {
  readonly ref: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

export type CreateResource = (request: ResourceRequest) => CreatedResource;

/** The API of a service, for requests signed for `signingName`. */
export interface SdkEndpoint {
  readonly signingName: string;
  readonly protocol: "json" | "rest-json" | "rest-xml";
  answer(call: SdkCall): Promise<SdkAnswer>;
}

export interface SdkAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** One emulated AWS service: its resource types and its API. */
export interface Service {
  readonly name: string;
  readonly resources: Readonly<Record<string, CreateResource>>;
  readonly endpoint?: SdkEndpoint;
  /** Runs when all resources of all stacks exist, for checks across resources. */
  start?(): void | Promise<void>;
  /**
   * Runs when the HTTP API is opened, for work that waits since an earlier run: before that, functions could not call
   * the API.
   */
  opened?(): void;
  /** Finishes running work, then releases everything. */
  stop?(): Promise<void>;
}

const nameOf = (request: ResourceRequest): string => `${request.stack}/${request.logicalId} (${request.type})`;

/** Refuses one resource, naming stack, logical id and type. */
export const refuse = (request: ResourceRequest, reason: string): never => {
  throw new Refusal(`The local platform cannot run ${nameOf(request)}: ${reason}.`);
};

/** A creator that validates properties by a schema. Unknown properties stop the start. */
export const declare =
  <S extends z.ZodType>(
    schema: S,
    create: (properties: z.output<S>, request: ResourceRequest) => CreatedResource,
  ): CreateResource =>
  (request) => {
    const parsed = schema.safeParse(request.properties);
    if (parsed.success) return create(parsed.data, request);
    const issue = parsed.error.issues[0];
    const path = issue?.path.map(String).join(".") ?? "";
    return refuse(request, `${path === "" ? "" : `property ${path}: `}${lowerFirst(issue?.message ?? "is not valid")}`);
  };

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Tags have no effect here. */
export const tags = z.union([
  z.array(z.strictObject({ Key: z.string(), Value: z.string() })),
  z.record(z.string(), z.string()),
]);
