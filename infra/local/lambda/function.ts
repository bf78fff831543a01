import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { type ResourceRequest, refuse, tags } from "../service.ts";

const runtime = "nodejs24.x";

/** The supported properties of a function. Others stop the start. */
export const functionProperties = z.strictObject({
  FunctionName: z.string().optional(),
  Description: z.string().optional(),
  Code: z.strictObject({ S3Bucket: z.string(), S3Key: z.string() }),
  Handler: z.string().regex(/^index\.[A-Za-z_$][\w$]*$/, "must name an export of index"),
  Runtime: z.literal(runtime, `must be ${runtime}`),
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

const metadata = z.looseObject({ "aws:asset:path": z.string() });

/** The module of a function's handler, from the asset metadata that CDK writes. */
export const handlerFile = (request: ResourceRequest): string => {
  const parsed = metadata.safeParse(request.metadata);
  if (!parsed.success) {
    return refuse(request, "it does not say where its code is (synthesize with aws:cdk:enable-asset-metadata)");
  }
  const directory = parsed.data["aws:asset:path"];
  const file = ["index.mjs", "index.js"].map((name) => join(directory, name)).find((one) => existsSync(one));
  return file ?? refuse(request, `there is no index.mjs in ${directory}`);
};

/** The variables that Lambda sets in every environment. */
export const runtimeVariables = (one: {
  name: string;
  memory: number;
  handler: string;
  directory: string;
  region: string;
  logGroup: string;
  logStream: string;
}): Record<string, string> => ({
  AWS_REGION: one.region,
  AWS_DEFAULT_REGION: one.region,
  AWS_EXECUTION_ENV: `AWS_Lambda_${runtime}`,
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
