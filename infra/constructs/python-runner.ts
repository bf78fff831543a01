import { resolve } from "node:path";
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  TenancyConfig,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Aws, Duration, RemovalPolicy, Validations } from "aws-cdk-lib/core";
import { Construct } from "constructs";
import type { Settings } from "../stacks/settings.ts";
import { alarmPeriod, impactAlarm } from "./impact-alarm.ts";

/** The name of the runner among the platform's functions. */
export const RUNNER = "runner";

export const functionName = ({ stage }: Settings, name: string): string => `tenantry-${stage}-${name}`;

const source = resolve(import.meta.dirname, "../../functions/runner");

export interface PythonRunnerProps {
  readonly settings: Settings;
  /** The folder with the code; `functions/runner` by default. */
  readonly directory?: string;
}

/**
 * The Lambda of `functions/runner`. Its role allows log lines only, and it has no variables, so that code which breaks
 * out of its walls finds no right and no secret. An execution environment never serves two tenants.
 */
export class PythonRunner extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, { settings, directory = source }: PythonRunnerProps) {
    super(scope, id);
    const named = functionName(settings, RUNNER);
    const logGroup = new LogGroup(this, "Logs", {
      logGroupName: `/aws/lambda/${named}`,
      retention: settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.function = new LambdaFunction(this, "Function", {
      functionName: named,
      description: "Runs tenants' Python, one organization to an execution environment",
      runtime: Runtime.PYTHON_3_13,
      architecture: Architecture.ARM_64,
      handler: "handler.handler",
      code: Code.fromAsset(directory, { exclude: ["**/__pycache__", "*.md"] }),
      role: new Role(this, "Role", {
        assumedBy: new ServicePrincipal("lambda.amazonaws.com", {
          conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
        }),
        inlinePolicies: {
          needs: new PolicyDocument({
            statements: [
              new PolicyStatement({
                effect: Effect.ALLOW,
                actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
                resources: [logGroup.logGroupArn],
              }),
            ],
          }),
        },
      }),
      // Set at the creation of a function, and never changed.
      tenancyConfig: TenancyConfig.PER_TENANT,
      // A function may take 256 MiB, the interpreter needs a part, and the processor share grows with it.
      memorySize: 1024,
      // The longest time of a function is 60 s. The runner itself ends it before Lambda does.
      timeout: Duration.seconds(65),
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
    });
    Validations.of(this.function).acknowledge({
      id: "AwsSolutions-L1",
      reason: "The walls around tenants' code are tested on this version; a later one may have ways around them.",
    });
    impactAlarm(this, "Errors", {
      settings,
      metric: this.function.metricErrors({ period: alarmPeriod, statistic: "Sum" }),
      threshold: 5,
      datapoints: { bad: 2, of: 3 },
      impact:
        "tenants' functions and triggers fail with an error of the kind `killed`; writes with triggers are refused.",
      runbook: "runner-errors",
    });
    impactAlarm(this, "Throttles", {
      settings,
      metric: this.function.metricThrottles({ period: alarmPeriod, statistic: "Sum" }),
      threshold: 1,
      datapoints: { bad: 2, of: 3 },
      impact: "tenants' functions are answered with 429 `too_many_functions`; queued ones are late.",
      runbook: "runner-throttles",
    });
  }
}
