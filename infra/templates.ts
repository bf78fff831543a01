import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildApp } from "./app.ts";
import type { Bundles } from "./bundle.ts";

/** A synthesized CloudFormation template, as JSON. */
export type Template = Readonly<Record<string, unknown>>;

/**
 * The templates of one stage by stack name, in the order of deployment. Nothing is validated or copied: the metadata
 * `aws:asset:path` of each function is the directory of its bundle.
 */
export const synthesizeTemplates = (
  bundles: Bundles,
  context: Readonly<Record<string, unknown>> = {},
): ReadonlyMap<string, Template> => {
  const outdir = mkdtempSync(join(tmpdir(), "tenantry-synth-"));
  try {
    const app = buildApp({
      bundles,
      context: { ...context, "aws:cdk:enable-asset-metadata": true, "aws:cdk:disable-asset-staging": true },
      builtinCloudFormationValidation: false,
      stackTraces: false,
      treeMetadata: false,
      outdir,
    });
    return new Map(app.synth().stacks.map((stack) => [stack.stackName, stack.template]));
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
};
