import { CfnApi, CfnApiMapping, CfnDomainName, CfnStage } from "aws-cdk-lib/aws-apigatewayv2";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { CfnRecordSet } from "aws-cdk-lib/aws-route53";
import { Aws, RemovalPolicy } from "aws-cdk-lib/core";
import { Construct } from "constructs";
import { exposedHeaders } from "#contracts/exposed-headers";
import { routes } from "#contracts/routes";
import type { Settings } from "../stacks/settings.ts";

/** One line for each request, because requests that never reach a function have no other log line. */
const accessLog = JSON.stringify({
  request_id: "$context.requestId",
  time: "$context.requestTimeEpoch",
  address: "$context.identity.sourceIp",
  route: "$context.routeKey",
  status: "$context.status",
  milliseconds: "$context.responseLatency",
  bytes: "$context.responseLength",
  error: "$context.error.message",
  integration_error: "$context.integrationErrorMessage",
});

/** The HTTP API with its stage: throttled as a whole, logged, with its own domain if one is set. */
export class HttpApi extends Construct {
  readonly apiId: string;
  /** The public base URL without a trailing slash. */
  readonly url: string;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { stage, domain, allowedOrigins } = settings;
    const api = new CfnApi(this, "Api", {
      name: `tenantry-${stage}`,
      protocolType: "HTTP",
      // With its own domain the API has no other address, because tokens have one issuer.
      disableExecuteApiEndpoint: domain !== undefined,
      ...(allowedOrigins && {
        corsConfiguration: {
          allowOrigins: allowedOrigins,
          allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
          allowHeaders: ["authorization", "content-type", "idempotency-key"],
          exposeHeaders: exposedHeaders(routes),
          maxAge: 3600,
        },
      }),
    });
    // API Gateway may write to groups with this prefix without a resource policy for each.
    const logs = new LogGroup(this, "AccessLogs", {
      logGroupName: `/aws/vendedlogs/tenantry-${stage}/api`,
      retention: settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const apiStage = new CfnStage(this, "Stage", {
      apiId: api.ref,
      stageName: "$default",
      autoDeploy: true,
      accessLogSettings: {
        destinationArn: `arn:${Aws.PARTITION}:logs:${Aws.REGION}:${Aws.ACCOUNT_ID}:log-group:${logs.logGroupName}`,
        format: accessLog,
      },
      defaultRouteSettings: {
        throttlingRateLimit: settings.throttlingRate,
        throttlingBurstLimit: settings.throttlingBurst,
      },
    });
    if (domain) this.domain(domain, settings, api.ref, apiStage);
    this.apiId = api.ref;
    this.url = domain ? `https://${domain}` : api.attrApiEndpoint;
  }

  private domain(domain: string, { certificateArn, hostedZoneId }: Settings, apiId: string, stage: CfnStage): void {
    const name = new CfnDomainName(this, "Domain", {
      domainName: domain,
      domainNameConfigurations: [
        {
          ...(certificateArn && { certificateArn }),
          endpointType: "REGIONAL",
          securityPolicy: "TLS_1_2",
          // Without it the name has no IPv6 address, so that the AAAA record would be invalid.
          ipAddressType: "dualstack",
        },
      ],
    });
    new CfnApiMapping(this, "Mapping", { apiId, domainName: name.ref, stage: stage.ref });
    if (!hostedZoneId) return;
    for (const type of ["A", "AAAA"]) {
      new CfnRecordSet(this, `Address-${type}`, {
        hostedZoneId,
        name: domain,
        type,
        aliasTarget: { dnsName: name.attrRegionalDomainName, hostedZoneId: name.attrRegionalHostedZoneId },
      });
    }
  }
}
