import { CfnIntegration, CfnRoute } from "aws-cdk-lib/aws-apigatewayv2";
import { CfnPermission, type IFunction } from "aws-cdk-lib/aws-lambda";
import { Aws, Validations } from "aws-cdk-lib/core";
import { Construct } from "constructs";

export interface RouteProps {
  readonly apiId: string;
  readonly function: IFunction;
  /** `GET /v1/status`, or `$default` for requests without another route. */
  readonly key: string;
  /** Why the function is public. */
  readonly openBecause: string;
}

/**
 * A route of the HTTP API, its integration (payload format 2.0) and the permission for exactly that method and path.
 *
 * CloudFormation does not support a path that ends in `/`: `/v1/things/` becomes `/v1/things` and
 * `/v1/things/{slash+}`, with one function.
 */
export class Route extends Construct {
  constructor(scope: Construct, id: string, props: RouteProps) {
    super(scope, id);
    const { apiId } = props;
    const integration = new CfnIntegration(this, "Integration", {
      apiId,
      integrationType: "AWS_PROXY",
      integrationUri: props.function.functionArn,
      payloadFormatVersion: "2.0",
    });
    for (const [index, routeKey] of routeKeys(props.key).entries()) {
      const suffix = index === 0 ? "" : "WithSlash";
      const route = new CfnRoute(this, `Route${suffix}`, {
        apiId,
        routeKey,
        target: `integrations/${integration.ref}`,
        authorizationType: "NONE",
      });
      Validations.of(route).acknowledge({ id: "AwsSolutions-APIG4", reason: props.openBecause });
      new CfnPermission(this, `Permission${suffix}`, {
        action: "lambda:InvokeFunction",
        functionName: props.function.functionArn,
        principal: "apigateway.amazonaws.com",
        sourceArn: `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${apiId}/*/${permittedCalls(routeKey)}`,
      });
    }
  }
}

const routeKeys = (key: string): string[] => (key.endsWith("/") ? [key.slice(0, -1), `${key}{slash+}`] : [key]);

const permittedCalls = (routeKey: string): string => {
  if (routeKey === "$default") return "*";
  const [method, path] = routeKey.split(" ");
  return `${method}${path?.replaceAll(/\{[^}]+\}/g, "*")}`;
};
