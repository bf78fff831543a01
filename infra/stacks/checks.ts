import { type App, Validations } from "aws-cdk-lib/core";
import { AwsSolutionsChecks } from "cdk-nag";

/** The rules of cdk-nag. Separate from the app, because loading them takes longer than synthesizing. */
export const addChecks = (app: App): void => Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
