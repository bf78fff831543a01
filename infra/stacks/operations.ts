import { Stack } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import { OperatorFunction } from "../constructs/operator-function.ts";
import type { PlatformStackProps } from "./platform-stack-props.ts";

/** What operators run by hand with `aws lambda invoke`. */
export class OperationsStack extends Stack {
  constructor(scope: Construct, id: string, props: PlatformStackProps) {
    super(scope, id, props);
    const { settings, bundles } = props;
    new OperatorFunction(this, "CreateUser", {
      settings,
      bundles,
      name: "create-user",
      description: "Creates a user in an organization",
      // Hashing a password is as slow as the processor is small.
      needs: { database: true, memory: 1769 },
    });
    new OperatorFunction(this, "GrantSuperuser", {
      settings,
      bundles,
      name: "grant-superuser",
      description: "Makes an identity a superuser of the whole platform",
      needs: { database: true },
      announce: "someone was made a superuser, or tried to: make sure that it was one of us.",
    });
  }
}
