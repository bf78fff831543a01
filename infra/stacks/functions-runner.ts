import { Stack, type StackProps } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import { PythonRunner } from "../constructs/python-runner.ts";
import type { Settings } from "./settings.ts";

/** The Lambda that runs tenants' Python. */
export class FunctionsRunnerStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps & { readonly settings: Settings }) {
    super(scope, id, props);
    new PythonRunner(this, "runner", { settings: props.settings });
  }
}
