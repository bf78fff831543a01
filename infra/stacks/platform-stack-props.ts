import type { StackProps } from "aws-cdk-lib/core";
import type { Bundles } from "../bundle.ts";
import type { Settings } from "./settings.ts";

/** The properties of all stacks. */
export interface PlatformStackProps extends StackProps {
  readonly settings: Settings;
  readonly bundles: Bundles;
}
