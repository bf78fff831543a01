import { Stack } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import * as operations from "#contracts/operations";
import { OperatorFunction } from "../constructs/operator-function.ts";
import { announcedOperations, failingOperations, lostOperations, operatorNeeds } from "./operation-needs.ts";
import type { PlatformStackProps } from "./platform-stack-props.ts";

/** The functions for operators, invoked with `aws lambda invoke`. */
export class OperationsStack extends Stack {
  constructor(scope: Construct, id: string, props: PlatformStackProps) {
    super(scope, id, props);
    const { settings, bundles } = props;
    for (const { operation, summary } of Object.values(operations)) {
      const announce = announcedOperations[operation];
      const lost = lostOperations[operation];
      const failed = failingOperations[operation];
      new OperatorFunction(this, operation, {
        settings,
        bundles,
        name: operation,
        description: summary,
        needs: { database: true, ...operatorNeeds[operation] },
        ...(announce && { announce }),
        ...(lost && { lost }),
        ...(failed && { failed }),
      });
    }
  }
}
