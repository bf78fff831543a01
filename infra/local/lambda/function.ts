import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { type ResourceRequest, refuse, tags } from "../service.ts";

/** The supported runtimes, each with the form of a function that it has here. */
const handlers = {
  "nodejs24.x": { pattern: /^index\.[A-Za-z_$][\w$]*$/, names: "an export of index" },
  "python3.13": { pattern: /^handler\.handler$/, names: "handler.handler" },
} as const;

export type Runtime = keyof typeof handlers;

/** The supported properties of a function. Others stop the start. */
const properties = z.strictObject({
  FunctionName: z.string().optional(),
  Description: z.string().optional(),
  Code: z.strictObject({ S3Bucket: z.string(), S3Key: z.string() }),
  Handler: z.string(),
  Runtime: z.enum(["nodejs24.x", "python3.13"], "must be nodejs24.x or python3.13"),
  TenancyConfig: z.strictObject({ TenantIsolationMode: z.literal("PER_TENANT") }).optional(),
  Architectures: z.array(z.string()).optional(),
  PackageType: z.literal("Zip").optional(),
  Role: z.string(),
  MemorySize: z.number().int().min(128).max(10_240).default(128),
  Timeout: z.number().int().min(1).max(900).default(3),
  Environment: z.strictObject({ Variables: z.record(z.string(), z.string()).default({}) }).optional(),
  /** Loops are not detected here. */
  RecursiveLoop: z.literal("Allow").optional(),
  ReservedConcurrentExecutions: z.number().int().nonnegative().optional(),
  LoggingConfig: z
    .strictObject({
      LogGroup: z.string().optional(),
      LogFormat: z.enum(["JSON", "Text"]).optional(),
      ApplicationLogLevel: z.string().optional(),
      SystemLogLevel: z.string().optional(),
    })
    .optional(),
  TracingConfig: z.strictObject({ Mode: z.enum(["Active", "PassThrough"]) }).optional(),
  Tags: tags.optional(),
});

export type FunctionProperties = z.output<typeof properties>;

export const functionProperties = properties.superRefine(({ Handler, Runtime, TenancyConfig }, context) => {
  const { pattern, names } = handlers[Runtime];
  if (!pattern.test(Handler)) context.addIssue({ code: "custom", path: ["Handler"], message: `must name ${names}` });
  if ((Runtime === "python3.13") !== (TenancyConfig !== undefined)) {
    const message = "is supported with python3.13 only, which needs it";
    context.addIssue({ code: "custom", path: ["TenancyConfig"], message });
  }
});

const metadata = z.looseObject({ "aws:asset:path": z.string() });

/** The directory with a function's code, from the asset metadata that CDK writes. */
const codeDirectory = (request: ResourceRequest): string => {
  const parsed = metadata.safeParse(request.metadata);
  if (parsed.success) return parsed.data["aws:asset:path"];
  return refuse(request, "it does not say where its code is (synthesize with aws:cdk:enable-asset-metadata)");
};

/**
 * The file that runs a function: the module of its handler, or the program that does what Lambda's Python runtime does.
 */
export const handlerFile = (request: ResourceRequest, runtime: Runtime): string => {
  const directory = codeDirectory(request);
  const names = runtime === "python3.13" ? ["local.py"] : ["index.mjs", "index.js"];
  const file = names.map((name) => join(directory, name)).find((one) => existsSync(one));
  return file ?? refuse(request, `there is no ${names[0]} in ${directory}`);
};

/** The variables that Lambda sets in every environment. */
export const runtimeVariables = (one: {
  name: string;
  runtime: Runtime;
  memory: number;
  handler: string;
  directory: string;
  region: string;
  logGroup: string;
  logStream: string;
}): Record<string, string> => ({
  AWS_REGION: one.region,
  AWS_DEFAULT_REGION: one.region,
  AWS_EXECUTION_ENV: `AWS_Lambda_${one.runtime}`,
  AWS_LAMBDA_FUNCTION_NAME: one.name,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(one.memory),
  AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
  AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
  AWS_LAMBDA_LOG_GROUP_NAME: one.logGroup,
  AWS_LAMBDA_LOG_STREAM_NAME: one.logStream,
  LAMBDA_TASK_ROOT: one.directory,
  _HANDLER: one.handler,
  LANG: "en_US.UTF-8",
  PATH: "/var/lang/bin:/usr/local/bin:/usr/bin:/bin:/opt/bin",
  TZ: ":UTC",
});
