import * as z from "zod";
import { tags } from "../service.ts";
import { corsConfiguration } from "./cors.ts";

/** The supported resources of an HTTP API. Others stop the start. */

export const apiProperties = z.strictObject({
  Name: z.string(),
  ProtocolType: z.literal("HTTP", "only HTTP APIs run here"),
  Description: z.string().optional(),
  CorsConfiguration: corsConfiguration.optional(),
  // With its own domain the API has no default address. Locally the address is loopback in either case.
  DisableExecuteApiEndpoint: z.boolean().optional(),
  Tags: tags.optional(),
});

const throttling = z.strictObject({
  ThrottlingRateLimit: z.number().positive().optional(),
  ThrottlingBurstLimit: z.number().positive().optional(),
  DetailedMetricsEnabled: z.boolean().optional(),
});

export const stageProperties = z.strictObject({
  ApiId: z.string(),
  StageName: z.literal("$default", "only the stage $default runs here"),
  AutoDeploy: z.literal(true, "must be true, or no route is ever deployed"),
  Description: z.string().optional(),
  DefaultRouteSettings: throttling.optional(),
  RouteSettings: z.record(z.string(), throttling).optional(),
  AccessLogSettings: z.strictObject({ DestinationArn: z.string(), Format: z.string() }).optional(),
  Tags: tags.optional(),
});

export const integrationProperties = z.strictObject({
  ApiId: z.string(),
  IntegrationType: z.literal("AWS_PROXY", "only AWS_PROXY runs here"),
  IntegrationUri: z.string(),
  IntegrationMethod: z.literal("POST").optional(),
  ConnectionType: z.literal("INTERNET").optional(),
  PayloadFormatVersion: z.literal("2.0", "only payload format 2.0 runs here"),
  TimeoutInMillis: z.number().int().min(50).max(30_000).default(30_000),
  Description: z.string().optional(),
});

export const routeProperties = z.strictObject({
  ApiId: z.string(),
  RouteKey: z.string(),
  Target: z.string().startsWith("integrations/"),
  AuthorizationType: z.literal("NONE", "authorizers do not run here").optional(),
  OperationName: z.string().optional(),
});
