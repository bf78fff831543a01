import { expect, test } from "vitest";
import { synthesized } from "./synthesized.ts";

test("a domain of one's own takes TLS 1.2 and newer, and the API answers nowhere else", () => {
  const { ofType } = synthesized({
    domain: "api.acme.example",
    certificateArn: "arn:aws:acm:eu-central-1:123456789012:certificate/one",
  });
  const domains = ofType("AWS::ApiGatewayV2::DomainName");
  expect(domains.map(({ properties }) => properties.DomainNameConfigurations)).toEqual([
    [expect.objectContaining({ SecurityPolicy: "TLS_1_2" })],
  ]);
  expect(ofType("AWS::ApiGatewayV2::Api").map(({ properties }) => properties.DisableExecuteApiEndpoint)).toEqual([
    true,
  ]);
});
