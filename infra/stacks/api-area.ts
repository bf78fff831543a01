import { Stack } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import type { Contract } from "#contracts/contract";
import { Endpoint } from "../constructs/endpoint.ts";
import { operationNeeds } from "./operation-needs.ts";
import type { PlatformStackProps } from "./platform-stack-props.ts";

export interface ApiAreaStackProps extends PlatformStackProps {
  readonly contracts: readonly Contract[];
}

/** The routes of one area. A stack may have 500 resources and a route has seven, so each area has its own stack. */
export class ApiAreaStack extends Stack {
  constructor(scope: Construct, id: string, props: ApiAreaStackProps) {
    super(scope, id, props);
    const { settings, bundles } = props;
    for (const contract of props.contracts) {
      const needs = operationNeeds[contract.operation];
      new Endpoint(this, contract.operation, { settings, bundles, contract, ...(needs && { needs }) });
    }
  }
}
