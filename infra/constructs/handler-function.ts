import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { AssetHashType, Aws, Duration, RemovalPolicy, Validations } from "aws-cdk-lib/core";
import { Construct } from "constructs";
import type { Bundles } from "../bundle.ts";
import type { Settings } from "../stacks/settings.ts";
import { acknowledgeFiles, filePermissions, fileVariables } from "./files-bucket.ts";
import { alarmPeriod, impactAlarm } from "./impact-alarm.ts";
import type { Needs } from "./needs.ts";
import { mailPermissions } from "./platform-mail.ts";
import { functionName, RUNNER } from "./python-runner.ts";
import { queuePermissions, queueVariables } from "./queue-access.ts";
import { acknowledgeSchedules, scheduleGroupName, schedulePermissions, scheduleVariables } from "./schedule-group.ts";
import { configurationSetName } from "./ses-events.ts";
import { type SharedValue, sharedValue } from "./shared-value.ts";
import { signingKeyAliases } from "./signing-keys.ts";

export interface HandlerFunctionProps {
  readonly settings: Settings;
  readonly bundles: Bundles;
  /** The source file, such as `functions/http/identity/login.ts`. */
  readonly handler: string;
  /** In kebab-case, unique in the platform; the function is called `tenantry-<stage>-<name>`. */
  readonly name: string;
  readonly description: string;
  readonly needs: Needs;
  /** The effect on users while this function fails. */
  readonly impact: string;
  /** The public base URL. The core stack, which creates it, passes it; other stacks read the shared value. */
  readonly issuer?: string;
  /** The maximum of executions at the same time; 0 for the account's limit. */
  readonly mostConcurrent?: number;
}

const defaultMemory = 1024;
const defaultTimeout = 15;

/** Reserved by the operator; 0 if the function shares the account's environments. */
const ownConcurrency = ({ contextConcurrency }: Settings, { answersCode }: Needs): number =>
  answersCode ? contextConcurrency : 0;

const allow = (actions: string[], resources: string[], conditions: Readonly<Record<string, unknown>> = {}) =>
  new PolicyStatement({ effect: Effect.ALLOW, actions, resources, conditions });

/**
 * The encryption context of the data keys of encrypted fields. Sealed values and second-factor secrets have other ones.
 */
const fieldKeyContext = {
  StringEquals: { "kms:EncryptionContext:purpose": "fields" },
  Null: { "kms:EncryptionContext:organization": "false" },
};

/** The encryption context of the data keys of credentials' values. */
const credentialContext = {
  StringEquals: { "kms:EncryptionContext:object": "auth_credential", "kms:EncryptionContext:field": "value" },
};

/** The encryption context of the push tokens of devices. */
const deviceContext = { StringEquals: { "kms:EncryptionContext:object": "_device" } };

/** The encryption contexts of what a function may decrypt, if it may not decrypt all. */
const decryptedContexts = ({ readsEncryptedFields, reachesDevices, callsProviders, readsCredentials }: Needs) => [
  ...(readsEncryptedFields ? [fieldKeyContext] : []),
  ...(reachesDevices ? [deviceContext] : []),
  ...(callsProviders || readsCredentials ? [credentialContext] : []),
];

/** The secrets that a function reads. */
const secretsOf = ({ database, provisions, usesVendors }: Needs): SharedValue[] => [
  ...(database ? (["mongodb-secret-arn"] as const) : []),
  ...(provisions ? (["mongodb-provisioning-secret-arn"] as const) : []),
  ...(usesVendors ? (["vendors-secret-arn"] as const) : []),
];

/** One Lambda with a role, a log group and an alarm of its own. */
export class HandlerFunction extends Construct {
  readonly function: LambdaFunction;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: HandlerFunctionProps) {
    super(scope, id);
    const { settings, needs, handler } = props;
    const named = functionName(settings, props.name);
    const bundle = props.bundles.get(handler);
    if (!bundle) throw new Error(`No bundle was made of ${handler}`);

    const reserved = props.mostConcurrent ?? ownConcurrency(settings, needs);

    // Deleted with its function. It has a fixed name, so that a remaining group would make the next deployment fail.
    const logGroup = new LogGroup(this, "Logs", {
      logGroupName: `/aws/lambda/${named}`,
      retention: settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.logGroup = logGroup;
    this.function = new LambdaFunction(this, "Function", {
      functionName: named,
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: "index.handler",
      code: Code.fromAsset(bundle.directory, { assetHash: bundle.hash, assetHashType: AssetHashType.CUSTOM }),
      role: this.role(settings, needs, logGroup),
      memorySize: needs.memory ?? defaultMemory,
      timeout: Duration.seconds(needs.timeout ?? defaultTimeout),
      environment: environment(this, props),
      // Lambda would stop a chain of a function's own invocations, or of its own messages, after the sixteenth.
      ...(needs.invokes?.includes(props.name) || needs.sends?.some((queue) => queue === needs.receives)
        ? { recursiveLoop: RecursiveLoop.ALLOW }
        : {}),
      ...(reserved > 0 ? { reservedConcurrentExecutions: reserved } : {}),
      logGroup,
      // Lambda's own three lines for each call would cost more than the platform's. The metrics have the same data.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
    });
    impactAlarm(this, "Errors", {
      settings,
      metric: this.function.metricErrors({ period: alarmPeriod, statistic: "Sum" }),
      threshold: 1,
      // A single crash is only logged. Repeated failures raise the alarm.
      datapoints: { bad: 2, of: 3 },
      impact: props.impact,
      runbook: "function-errors",
    });
  }

  private role(settings: Settings, needs: Needs, logGroup: LogGroup): Role {
    const statements = [allow(["logs:CreateLogStream", "logs:PutLogEvents"], [logGroup.logGroupArn])];
    const secrets = secretsOf(needs).map((name) => sharedValue(this, settings.stage, name));
    if (secrets.length > 0) statements.push(allow(["secretsmanager:GetSecretValue"], secrets));
    if (needs.verifies || needs.signs) {
      const keys = [
        sharedValue(this, settings.stage, "signing-key-a-arn"),
        sharedValue(this, settings.stage, "signing-key-b-arn"),
      ];
      statements.push(allow(["kms:GetPublicKey"], keys));
      if (needs.signs) statements.push(allow(["kms:Sign"], keys));
    }
    const dataKeyActions = [...(needs.seals ? ["kms:GenerateDataKey"] : []), ...(needs.opens ? ["kms:Decrypt"] : [])];
    if (dataKeyActions.length > 0) {
      statements.push(allow(dataKeyActions, [sharedValue(this, settings.stage, "data-key-arn")]));
    }
    for (const context of decryptedContexts(needs)) {
      statements.push(allow(["kms:Decrypt"], [sharedValue(this, settings.stage, "data-key-arn")], context));
    }
    statements.push(...mailPermissions(this, settings, needs));
    const invoked = [...(needs.invokes ?? []), ...(needs.runsFunctions ? [RUNNER] : [])];
    if (invoked.length > 0) {
      const functions = invoked.map((name) => functionArn(settings, name));
      statements.push(allow(["lambda:InvokeFunction"], functions));
    }
    if (needs.startsWorkflows) {
      const started = needs.startsWorkflows.map((workflow) => stateMachineArn(settings, workflow));
      statements.push(allow(["states:StartExecution"], started));
    }
    if (needs.watchesWorkflows) {
      const watched = needs.watchesWorkflows.map((workflow) => executionArns(settings, workflow));
      statements.push(allow(["states:DescribeExecution", "states:StopExecution"], watched));
    }
    statements.push(...queuePermissions(settings, needs));
    statements.push(...schedulePermissions(this, settings, needs));
    if (needs.files) statements.push(...filePermissions(settings, needs.files));
    const role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
      }),
      inlinePolicies: { needs: new PolicyDocument({ statements }) },
    });
    for (const workflow of needs.watchesWorkflows ?? []) {
      const executions = executionArns(settings, workflow, ["<AWS::Partition>", "<AWS::Region>", "<AWS::AccountId>"]);
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${executions}]`,
        reason: "The names of executions are not known at the deployment.",
      });
    }
    acknowledgeSchedules(role, settings, needs);
    if (needs.files) acknowledgeFiles(role, settings, needs.files);
    return role;
  }
}

const functionArn = (settings: Settings, name: string): string =>
  `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:${functionName(settings, name)}`;

const stateMachineArn = ({ stage }: Settings, workflow: string): string =>
  `arn:${Aws.PARTITION}:states:${Aws.REGION}:${Aws.ACCOUNT_ID}:stateMachine:tenantry-${stage}-${workflow}`;

/** All executions of a workflow. */
const executionArns = (
  { stage }: Settings,
  workflow: string,
  [partition, region, account] = [Aws.PARTITION, Aws.REGION, Aws.ACCOUNT_ID],
): string => `arn:${partition}:states:${region}:${account}:execution:tenantry-${stage}-${workflow}:*`;

/** The environment variable with the ARN of a state machine: `SANDBOX_STATE_MACHINE_ARN`. */
const stateMachineVariable = (workflow: string): string =>
  `${workflow.toUpperCase().replaceAll("-", "_")}_STATE_MACHINE_ARN`;

/** Owners' notices of sandboxes are captured, with their sender. */
const domainVariables = (needs: Needs, settings: Settings): Record<string, string> => ({
  ...((needs.mails || needs.sendsMail || needs.knowsSender) && { MAIL_SENDER: settings.mailSender }),
  ...(needs.mailsRaw && { MAIL_CONFIGURATION_SET: configurationSetName(settings) }),
  ...(needs.asksDns && settings.dnsServers && { DNS_SERVERS: settings.dnsServers }),
});

const messageVariables = ({ acceptsMessages }: Needs, settings: Settings): Record<string, string> =>
  acceptsMessages
    ? { WITHOUT_VENDOR: settings.withoutVendor, PLATFORM_MESSAGES: JSON.stringify(settings.platformMessages) }
    : {};
const usesDataKey = (needs: Needs): boolean => {
  const { seals, opens, readsEncryptedFields, callsProviders, readsCredentials, reachesDevices } = needs;
  const { mails, opensMails } = needs;
  const uses = [
    seals,
    opens,
    readsEncryptedFields,
    callsProviders,
    readsCredentials,
    reachesDevices,
    mails,
    opensMails,
  ];
  return uses.includes(true);
};

const outboundVariables = (needs: Needs, { outboundHttp, outboundLoopback }: Settings): Record<string, string> => {
  if (!needs.callsProviders && !needs.callsVendors) return {};
  return {
    ...(outboundHttp && { OUTBOUND_HTTP: "true" }),
    ...(outboundLoopback && { OUTBOUND_LOOPBACK: "true" }),
  };
};

const environment = (scope: Construct, { settings, needs, issuer }: HandlerFunctionProps): Record<string, string> => {
  const { stage } = settings;
  const variables: Record<string, string> = {
    STAGE: stage,
    VERSION: settings.version,
    LOG_LEVEL: settings.logLevel,
    ISSUER: issuer ?? sharedValue(scope, stage, "api-endpoint"),
  };
  if (needs.database) variables.MONGODB_SECRET_ARN = sharedValue(scope, stage, "mongodb-secret-arn");
  if (needs.provisions)
    variables.PROVISIONING_MONGODB_SECRET_ARN = sharedValue(scope, stage, "mongodb-provisioning-secret-arn");
  if (needs.usesVendors) variables.VENDORS_SECRET_ARN = sharedValue(scope, stage, "vendors-secret-arn");
  if (needs.signs) variables.SIGNING_KEY_ALIASES = signingKeyAliases(stage, settings.activeSigningKey);
  else if (needs.verifies) variables.SIGNING_KEY_ALIASES = signingKeyAliases(stage, "a");
  if (usesDataKey(needs)) variables.DATA_KEY_ARN = sharedValue(scope, stage, "data-key-arn");
  for (const workflow of needs.startsWorkflows ?? [])
    variables[stateMachineVariable(workflow)] = stateMachineArn(settings, workflow);
  if (needs.removesSchedules) variables.SCHEDULE_GROUP = scheduleGroupName(settings);
  if (needs.schedules) Object.assign(variables, scheduleVariables(scope, settings));
  if (needs.runsFunctions) variables.RUNNER_FUNCTION_NAME = functionName(settings, RUNNER);
  if (needs.readsPayments) variables.PAYMENT_GRACE_DAYS = String(settings.paymentGraceDays);
  Object.assign(variables, outboundVariables(needs, settings));
  Object.assign(variables, domainVariables(needs, settings));
  Object.assign(variables, messageVariables(needs, settings));
  if (needs.beginsLocalExecutions) variables.LOCAL_EXECUTIONS = settings.localExecutions;
  Object.assign(variables, queueVariables(settings, needs), needs.files && fileVariables(settings));
  if (needs.registration) variables.REGISTRATION = settings.registration;
  if (settings.passwordHashes === "weak") variables.PASSWORD_HASHES = "weak";
  return variables;
};
