import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { buildOptions } from "../../infra/bundle.ts";

export interface BareFunction {
  readonly name: string;
  readonly routeKey: string;
  readonly source: string;
  readonly environment: Readonly<Record<string, string>>;
}

const bundle = async (directory: string, { name, source }: BareFunction): Promise<string> => {
  const target = join(directory, name);
  await mkdir(target, { recursive: true });
  // Compiled like the platform's own handlers, so that only their work differs.
  const { outputFiles } = await build({ ...buildOptions, entryPoints: [source], splitting: false, outdir: target });
  await writeFile(join(target, "index.mjs"), outputFiles[0]?.contents ?? "");
  return target;
};

/**
 * A stack of handlers without the platform. Its functions get routes of the platform's API, because another API would
 * need another port.
 */
export const bareStack = async (
  directory: string,
  functions: readonly BareFunction[],
  apiParameter: string,
): Promise<unknown> => {
  const resources: Record<string, unknown> = {
    Role: {
      Type: "AWS::IAM::Role",
      Properties: {
        AssumeRolePolicyDocument: {
          Version: "2012-10-17",
          Statement: [{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: "lambda.amazonaws.com" } }],
        },
      },
    },
  };
  for (const bare of functions) {
    const { name, routeKey, environment } = bare;
    resources[`${name}Function`] = {
      Type: "AWS::Lambda::Function",
      Metadata: { "aws:asset:path": await bundle(directory, bare), "aws:asset:property": "Code" },
      Properties: {
        FunctionName: `bench-${name}`,
        Runtime: "nodejs24.x",
        Handler: "index.handler",
        Role: { "Fn::GetAtt": ["Role", "Arn"] },
        Code: { S3Bucket: "bench", S3Key: `${name}.zip` },
        Timeout: 10,
        MemorySize: 512,
        Environment: { Variables: environment },
      },
    };
    resources[`${name}Permission`] = {
      Type: "AWS::Lambda::Permission",
      Properties: {
        Action: "lambda:InvokeFunction",
        FunctionName: { "Fn::GetAtt": [`${name}Function`, "Arn"] },
        Principal: "apigateway.amazonaws.com",
      },
    };
    resources[`${name}Integration`] = {
      Type: "AWS::ApiGatewayV2::Integration",
      Properties: {
        ApiId: { Ref: "ApiId" },
        IntegrationType: "AWS_PROXY",
        IntegrationUri: { "Fn::GetAtt": [`${name}Function`, "Arn"] },
        PayloadFormatVersion: "2.0",
      },
    };
    resources[`${name}Route`] = {
      Type: "AWS::ApiGatewayV2::Route",
      Properties: {
        ApiId: { Ref: "ApiId" },
        RouteKey: routeKey,
        AuthorizationType: "NONE",
        Target: { "Fn::Join": ["", ["integrations/", { Ref: `${name}Integration` }]] },
      },
    };
  }
  return {
    Parameters: { ApiId: { Type: "AWS::SSM::Parameter::Value<String>", Default: apiParameter } },
    Resources: resources,
  };
};
