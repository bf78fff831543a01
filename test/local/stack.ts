import { join } from "node:path";

type Json = Readonly<Record<string, unknown>>;
type Resources = Readonly<Record<string, Json>>;

export const ref = (name: string) => ({ Ref: name });
export const attribute = (name: string, which = "Arn") => ({ "Fn::GetAtt": [name, which] });

export const allow = (actions: string | string[], resource: unknown, condition?: Json): Json => ({
  Effect: "Allow",
  Action: actions,
  Resource: resource,
  ...(condition && { Condition: condition }),
});

const handlerDirectory = (handler: string): string => join(import.meta.dirname, "handlers", handler);

/** A function with its own role, which allows only these statements. */
export const lambdaFunction = (
  id: string,
  {
    handler = "probe",
    statements = [],
    ...properties
  }: { handler?: string; statements?: Json[]; [name: string]: unknown } = {},
): Resources => ({
  [`${id}Role`]: {
    Type: "AWS::IAM::Role",
    Properties: {
      AssumeRolePolicyDocument: {
        Version: "2012-10-17",
        Statement: [{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: "lambda.amazonaws.com" } }],
      },
      ManagedPolicyArns: [
        {
          "Fn::Join": [
            "",
            ["arn:", ref("AWS::Partition"), ":iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"],
          ],
        },
      ],
    },
  },
  ...(statements.length > 0 && {
    [`${id}Policy`]: {
      Type: "AWS::IAM::Policy",
      Properties: {
        PolicyName: `${id}Policy`,
        Roles: [ref(`${id}Role`)],
        PolicyDocument: { Version: "2012-10-17", Statement: statements },
      },
    },
  }),
  [id]: {
    Type: "AWS::Lambda::Function",
    Properties: {
      FunctionName: id,
      Code: { S3Bucket: "assets", S3Key: "code.zip" },
      Handler: "index.handler",
      Runtime: "nodejs24.x",
      MemorySize: 256,
      Timeout: 5,
      Role: attribute(`${id}Role`),
      ...properties,
    },
    Metadata: { "aws:asset:path": handlerDirectory(handler) },
  },
});

/** A route to a function, with its permission unless that is left out. */
export const route = (
  id: string,
  key: string,
  target: string,
  options: { permission?: boolean; timeout?: number } = {},
): Resources => ({
  [`${id}Integration`]: {
    Type: "AWS::ApiGatewayV2::Integration",
    Properties: {
      ApiId: ref("Api"),
      IntegrationType: "AWS_PROXY",
      IntegrationUri: attribute(target),
      PayloadFormatVersion: "2.0",
      ...(options.timeout && { TimeoutInMillis: options.timeout }),
    },
  },
  [`${id}Route`]: {
    Type: "AWS::ApiGatewayV2::Route",
    Properties: {
      ApiId: ref("Api"),
      RouteKey: key,
      Target: { "Fn::Join": ["/", ["integrations", ref(`${id}Integration`)]] },
      AuthorizationType: "NONE",
    },
  },
  ...(options.permission !== false && {
    [`${id}Permission`]: {
      Type: "AWS::Lambda::Permission",
      Properties: {
        Action: "lambda:InvokeFunction",
        FunctionName: attribute(target),
        Principal: "apigateway.amazonaws.com",
        SourceArn: {
          "Fn::Sub": `arn:\${AWS::Partition}:execute-api:\${AWS::Region}:\${AWS::AccountId}:\${Api}/*/${
            key === "$default" ? "*" : key.replace(" ", "").replaceAll(/\{[^}]+\}/g, "*")
          }`,
        },
      },
    },
  }),
});

export const httpApi = (options: { cors?: Json; stage?: Json } = {}): Resources => ({
  Api: {
    Type: "AWS::ApiGatewayV2::Api",
    Properties: { Name: "test", ProtocolType: "HTTP", ...(options.cors && { CorsConfiguration: options.cors }) },
  },
  Stage: {
    Type: "AWS::ApiGatewayV2::Stage",
    Properties: { ApiId: ref("Api"), StageName: "$default", AutoDeploy: true, ...options.stage },
  },
});

export const template = (...parts: Resources[]): Json => ({ Resources: Object.assign({}, ...parts) });
