import * as z from "zod";
import { arn } from "../account.ts";
import { declare, type Service } from "../service.ts";

const anything = z.record(z.string(), z.unknown());

/**
 * Resources that only monitor a deployment: alarms, log groups. They get names and ARNs, and have no
 * effect here.
 */
export const unattended = (): Service => ({
  name: "unattended",
  resources: {
    "AWS::Logs::LogGroup": declare(z.looseObject({ LogGroupName: z.string().optional() }), (properties, request) => {
      const name = properties.LogGroupName ?? `${request.stack}-${request.logicalId}`;
      return { ref: name, attributes: { Arn: `${arn("logs", `log-group:${name}`)}:*` } };
    }),
    "AWS::Logs::MetricFilter": declare(anything, (_, request) => ({ ref: request.logicalId })),
    "AWS::CloudWatch::Alarm": declare(z.looseObject({ AlarmName: z.string().optional() }), (properties, request) => {
      const name = properties.AlarmName ?? `${request.stack}-${request.logicalId}`;
      return { ref: name, attributes: { Arn: arn("cloudwatch", `alarm:${name}`) } };
    }),
    "AWS::CDK::Metadata": declare(anything, (_, request) => ({ ref: request.logicalId })),
    "AWS::ApiGatewayV2::DomainName": declare(z.looseObject({ DomainName: z.string() }), ({ DomainName }) => ({
      ref: DomainName,
      attributes: { RegionalDomainName: "127.0.0.1", RegionalHostedZoneId: "LOCAL" },
    })),
    "AWS::ApiGatewayV2::ApiMapping": declare(anything, (_, request) => ({ ref: request.logicalId })),
  },
});
