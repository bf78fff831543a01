import { Template } from "aws-cdk-lib/assertions";
import { App, Stack } from "aws-cdk-lib/core";
import { expect, test } from "vitest";
import { defineContract } from "#contracts/contract";
import { Endpoint } from "../../infra/constructs/endpoint.ts";
import { parseSettings } from "../../infra/stacks/settings.ts";
import { standInBundles } from "./stand-in-bundles.ts";

const contract = defineContract({
  operation: "countThings",
  area: "schema",
  method: "POST",
  path: "/v1/things/{thing}/count/",
  access: "user",
  summary: "Counts things",
  request: {},
  replies: { 200: { description: "Counted." } },
  faults: [],
});

test("a path that ends in a slash is answered by one function on two routes", () => {
  const stack = new Stack(new App(), "example");
  new Endpoint(stack, "count", { settings: parseSettings({}, "1.0.0"), bundles: standInBundles([contract]), contract });
  const template = Template.fromStack(stack);
  template.resourceCountIs("AWS::Lambda::Function", 1);
  template.resourceCountIs("AWS::ApiGatewayV2::Integration", 1);
  const keys = Object.values(template.findResources("AWS::ApiGatewayV2::Route")).map(
    (route) => route.Properties.RouteKey,
  );
  expect(keys).toEqual(["POST /v1/things/{thing}/count", "POST /v1/things/{thing}/count/{slash+}"]);
  const permissions = JSON.stringify(template.findResources("AWS::Lambda::Permission"));
  expect(permissions).toContain('/*/POST/v1/things/*/count"');
  expect(permissions).toContain('/*/POST/v1/things/*/count/*"');
});
