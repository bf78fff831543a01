import * as z from "zod";
import { Refusal } from "./refusal.ts";
import type { SdkCall } from "./sdk/call.ts";

/** One resource of a template with its intrinsics resolved. */
export interface ResourceRequest {
  readonly stack: string;
  readonly logicalId: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What `Ref` and `Fn::GetAtt` give for a created resource. */
export interface CreatedResource {
  readonly ref: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

export type CreateResource = (request: ResourceRequest) => CreatedResource;

/** The requests of the SDK that a service answers, signed for `signingName`. */
export interface SdkEndpoint {
  readonly signingName: string;
  readonly protocol: "json" | "rest-json";
  answer(call: SdkCall): Promise<SdkAnswer>;
}

export interface SdkAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One emulated AWS service: the resource types it takes, and what it answers to the SDK. */
export interface Service {
  readonly name: string;
  readonly resources: Readonly<Record<string, CreateResource>>;
  readonly endpoint?: SdkEndpoint;
  /** Runs once every resource of every stack exists; here a service checks what spans resources. */
  start?(): void | Promise<void>;
  /** Lets what runs finish, then lets go of everything. */
  stop?(): Promise<void>;
}

const nameOf = (request: ResourceRequest): string => `${request.stack}/${request.logicalId} (${request.type})`;

/** Refuses one resource, naming stack, logical id and type. */
export const refuse = (request: ResourceRequest, reason: string): never => {
  throw new Refusal(`The local platform cannot run ${nameOf(request)}: ${reason}.`);
};

/** A creator whose properties are checked against a schema: what the schema does not know stops the boot. */
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

/** Tags change nothing here. */
export const tags = z.union([
  z.array(z.strictObject({ Key: z.string(), Value: z.string() })),
  z.record(z.string(), z.string()),
]);
