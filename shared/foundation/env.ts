/** The only reader of `process.env`. A missing variable is an error of the deployment. */
const required = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`The environment variable ${name} is not set.`);
  return value;
};

export const env = {
  /** The name of the deployment: `prod`, `dev`, `local` … */
  stage: (): string => required("STAGE"),
  version: (): string => required("VERSION"),
  logLevel: (): string => process.env.LOG_LEVEL ?? "info",
  /** The public base URL without a trailing slash; the `iss` and `aud` of the platform's tokens. */
  issuer: (): string => required("ISSUER"),
  mongodbSecretArn: (): string => required("MONGODB_SECRET_ARN"),
  /** As `mongodbSecretArn`, for the database user that may also drop and rename. */
  provisioningMongodbSecretArn: (): string => required("PROVISIONING_MONGODB_SECRET_ARN"),
  /** The secret with the platform's own accounts at vendors. */
  vendorsSecretArn: (): string => required("VENDORS_SECRET_ARN"),
  /** Aliases of the trusted signing keys; the first one signs. */
  signingKeyAliases: (): readonly string[] => required("SIGNING_KEY_ALIASES").split(","),
  /** The KMS key that encrypts the data keys of secrets in the database. */
  dataKeyArn: (): string => required("DATA_KEY_ARN"),
  /** The state machine of a workflow, for functions that start it. */
  stateMachineArn: (workflow: string): string =>
    required(`${workflow.toUpperCase().replaceAll("-", "_")}_STATE_MACHINE_ARN`),
  /** The group of the schedules that the platform makes at run time. */
  scheduleGroup: (): string => required("SCHEDULE_GROUP"),
  /** The function that they invoke, the role in whose name they do, and the queue for what is given up. */
  scheduleTargetArn: (): string => required("SCHEDULE_TARGET_ARN"),
  scheduleRoleArn: (): string => required("SCHEDULE_ROLE_ARN"),
  scheduleDeadLetterArn: (): string => required("SCHEDULE_DEAD_LETTER_ARN"),
  /** A queue, for functions that send to it. */
  queueUrl: (queue: string): string => required(`${queue.toUpperCase().replaceAll("-", "_")}_QUEUE_URL`),
  /** What the ARNs and the URLs of all queues begin with, for the function that sends dead letters back. */
  queuePrefixes: () => ({ arn: required("QUEUE_ARN_PREFIX"), url: required("QUEUE_URL_PREFIX") }),
  /** The bucket of files, for functions that need it. */
  filesBucket: (): string => required("FILES_BUCKET"),
  /** The Lambda that runs tenants' Python, for functions that invoke it. */
  runnerFunctionName: (): string => required("RUNNER_FUNCTION_NAME"),
  /** The sender address of mails. */
  mailSender: (): string => required("MAIL_SENDER"),
  /** The configuration set of SES that reports what becomes of mails. */
  mailConfigurationSet: (): string => required("MAIL_CONFIGURATION_SET"),
  /** Whether messages of an organization without a vendor are kept and not sent. Otherwise they are refused. */
  capturesWithoutVendor: (): boolean => required("WITHOUT_VENDOR") === "capture",
  /** JSON: which messages the platform's own accounts send, and for whom. */
  platformMessages: (): string => required("PLATFORM_MESSAGES"),
  /** Days from a missing payment to the end of writes. */
  paymentGraceDays: (): number => Number(required("PAYMENT_GRACE_DAYS")),
  localExecutionsEverywhere: (): boolean => required("LOCAL_EXECUTIONS") === "everywhere",
  registrationIsOpen: (): boolean => required("REGISTRATION") === "open",
  /** Allowed in the test suite's stage only. Elsewhere the variable is an error of the deployment. */
  passwordHashesAreWeak: (): boolean => {
    if (process.env.PASSWORD_HASHES === undefined) return false;
    if (env.stage() !== "selftest") throw new Error("The environment variable PASSWORD_HASHES is for tests only.");
    return process.env.PASSWORD_HASHES === "weak";
  },
  /** Whether tenants may choose addresses with http, and addresses of this host. For development. */
  outboundHttp: (): boolean => process.env.OUTBOUND_HTTP === "true",
  outboundLoopback: (): boolean => process.env.OUTBOUND_LOOPBACK === "true",
  /** Servers to ask instead of the host's, `address:port`; for tests. */
  dnsServers: (): readonly string[] => process.env.DNS_SERVERS?.split(",") ?? [],
  /** Credentials of the function's role. */
  credentials: () => ({
    accessKeyId: required("AWS_ACCESS_KEY_ID"),
    secretAccessKey: required("AWS_SECRET_ACCESS_KEY"),
    sessionToken: required("AWS_SESSION_TOKEN"),
  }),
  functionName: (): string => process.env.AWS_LAMBDA_FUNCTION_NAME ?? "unknown",
};
