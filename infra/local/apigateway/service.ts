import { createHash } from "node:crypto";
import type * as z from "zod";
import { arn } from "../account.ts";
import type { Clock } from "../clock.ts";
import type { Functions } from "../lambda/service.ts";
import { Refusal } from "../refusal.ts";
import { type CreatedResource, declare, type ResourceRequest, refuse, type Service } from "../service.ts";
import { type Api, frontDoor, type RequestLog, type RouteTarget } from "./front-door.ts";
import { apiProperties, integrationProperties, routeProperties, stageProperties } from "./resources.ts";
import { parseRoute, type Route } from "./routes.ts";
import { tokenBucket } from "./throttle.ts";

interface Options {
  readonly clock: Clock;
  readonly functions: Functions;
  /** The value of `ApiEndpoint`. */
  readonly url: string;
  readonly onRequest: (log: RequestLog) => void;
}

/** API Gateway: one HTTP API with its routes, integrations and stage, served by the front door. */
export const apiGateway = ({ clock, functions, url, onRequest }: Options) => {
  let api: { id: string; properties: z.output<typeof apiProperties> } | undefined;
  let stage: z.output<typeof stageProperties> | undefined;
  const integrations = new Map<string, z.output<typeof integrationProperties>>();
  const routes: Route<RouteTarget>[] = [];

  const ofTheApi = (apiId: string, request: ResourceRequest): void => {
    if (apiId !== api?.id) refuse(request, `there is no API ${apiId}`);
  };

  const addRoute = (properties: z.output<typeof routeProperties>, request: ResourceRequest): CreatedResource => {
    ofTheApi(properties.ApiId, request);
    const integration = integrations.get(properties.Target.slice("integrations/".length));
    if (integration === undefined) return refuse(request, `there is no integration ${properties.Target}`);
    const target = functions.find(lambdaOf(integration.IntegrationUri));
    if (target === undefined) return refuse(request, `there is no function ${integration.IntegrationUri}`);
    const route = parseRoute(properties.RouteKey, {
      function: target,
      timeout: integration.TimeoutInMillis,
      sourceArn: arn("execute-api", `${properties.ApiId}/$default/${properties.RouteKey.replace(" ", "")}`),
    });
    if (route === undefined) return refuse(request, `the route key ${properties.RouteKey} is not understood`);
    if (routes.some(({ key }) => key === route.key)) return refuse(request, `the route ${route.key} exists twice`);
    routes.push(route);
    return { ref: shortId(request) };
  };

  const buckets = (): Api["admit"] => {
    const { ThrottlingRateLimit = 10_000, ThrottlingBurstLimit = 5_000 } = stage?.DefaultRouteSettings ?? {};
    const whole = tokenBucket(clock, ThrottlingRateLimit, ThrottlingBurstLimit);
    const own = new Map(
      Object.entries(stage?.RouteSettings ?? {}).map(([key, settings]) => [
        key,
        tokenBucket(
          clock,
          settings.ThrottlingRateLimit ?? ThrottlingRateLimit,
          settings.ThrottlingBurstLimit ?? ThrottlingBurstLimit,
        ),
      ]),
    );
    return (routeKey) => (own.get(routeKey) ?? whole)();
  };

  const service: Service = {
    name: "apigateway",
    resources: {
      "AWS::ApiGatewayV2::Api": declare(apiProperties, (properties, request) => {
        if (api !== undefined) return refuse(request, "there may be one HTTP API only");
        api = { id: shortId(request), properties };
        return { ref: api.id, attributes: { ApiId: api.id, ApiEndpoint: url } };
      }),
      "AWS::ApiGatewayV2::Stage": declare(stageProperties, (properties, request) => {
        ofTheApi(properties.ApiId, request);
        stage = properties;
        return { ref: properties.StageName };
      }),
      "AWS::ApiGatewayV2::Integration": declare(integrationProperties, (properties, request) => {
        ofTheApi(properties.ApiId, request);
        const id = shortId(request);
        integrations.set(id, properties);
        return { ref: id, attributes: { IntegrationId: id } };
      }),
      "AWS::ApiGatewayV2::Route": declare(routeProperties, addRoute),
    },
    start: () => {
      if (api === undefined) return;
      if (stage === undefined)
        throw new Refusal("The HTTP API of the templates has no stage, so that nothing of it answers.");
      for (const key of Object.keys(stage.RouteSettings ?? {})) {
        if (!routes.some((route) => route.key === key)) {
          throw new Refusal(`The stage of the HTTP API has settings for the route ${key}, which does not exist.`);
        }
      }
      door.open({ id: api.id, routes, cors: api.properties.CorsConfiguration, admit: buckets() });
    },
  };
  const door = frontDoor({ clock, onRequest });
  return { ...service, listener: door.listener };
};

/** The function in an integration's URI, which is the function's ARN or an invocation path that contains it. */
const lambdaOf = (uri: string): string => /functions\/(arn:[^/]+)\/invocations$/.exec(uri)?.[1] ?? uri;

/** Ten characters, the same at every start. */
const shortId = (request: ResourceRequest): string => {
  const hash = createHash("sha256").update(`${request.stack}/${request.logicalId}`).digest();
  return Array.from(hash.subarray(0, 10), (byte) => (byte % 36).toString(36)).join("");
};
