import { expect, test } from "vitest";
import { synthesized } from "./synthesized.ts";

const own = synthesized({
  domain: "api.acme.example",
  certificateArn: "arn:aws:acm:eu-central-1:123456789012:certificate/one",
  hostedZoneId: "Z0123456789",
});

test("a custom domain requires TLS 1.2, and the API has no other address", () => {
  const { ofType } = own;
  const domains = ofType("AWS::ApiGatewayV2::DomainName");
  expect(domains.map(({ properties }) => properties.DomainNameConfigurations)).toEqual([
    [expect.objectContaining({ SecurityPolicy: "TLS_1_2" })],
  ]);
  expect(ofType("AWS::ApiGatewayV2::Api").map(({ properties }) => properties.DisableExecuteApiEndpoint)).toEqual([
    true,
  ]);
});

test("a domain with an AAAA record has an IPv6 address", () => {
  const records = own.ofType("AWS::Route53::RecordSet").map(({ properties }) => properties.Type);
  expect(records.toSorted()).toEqual(["A", "AAAA"]);
  expect(
    own.ofType("AWS::ApiGatewayV2::DomainName").map(({ properties }) => properties.DomainNameConfigurations),
  ).toEqual([[expect.objectContaining({ IpAddressType: "dualstack" })]]);
});
