import type { StackProps } from "aws-cdk-lib/core";
import type { Bundles } from "../bundle.ts";
import type { Settings } from "./settings.ts";

/** What every stack of the platform is made from. */
export interface PlatformStackProps extends StackProps {
  readonly settings: Settings;
  readonly bundles: Bundles;
}
