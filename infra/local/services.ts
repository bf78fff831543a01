import { join } from "node:path";
import type { RequestLog } from "./apigateway/front-door.ts";
import { apiGateway } from "./apigateway/service.ts";
import type { Clock } from "./clock.ts";
import type { PrivateFiles } from "./data/private-files.ts";
import type { Keyring } from "./iam/credentials.ts";
import type { iam } from "./iam/service.ts";
import { kms } from "./kms/service.ts";
import { type EnvironmentLimits, lambda } from "./lambda/service.ts";
import { requestOrganizations } from "./request-organization.ts";
import { s3 } from "./s3/service.ts";
import { scheduler } from "./scheduler/service.ts";
import { secretsManager } from "./secretsmanager/service.ts";
import type { Service } from "./service.ts";
import { type MailLog, ses } from "./ses/service.ts";
import { sns } from "./sns/service.ts";
import { sqs } from "./sqs/service.ts";
import { ssm } from "./ssm/service.ts";
import { stepFunctions } from "./stepfunctions/service.ts";
import { unattended } from "./unattended/service.ts";

/** Events for observers of the platform. */
export type PlatformLog =
  | ({ readonly kind: "request"; readonly organization: string | undefined } & RequestLog)
  | { readonly kind: "output"; readonly function: string; readonly line: string }
  | ({ readonly kind: "mail" } & MailLog)
  | { readonly kind: "dropped"; readonly function: string; readonly requestId: string; readonly reason: string };

/** The SDK finds a service by `AWS_ENDPOINT_URL_` and one of these. */
const endpointSuffixes = ["KMS", "LAMBDA", "S3", "SCHEDULER", "SECRETS_MANAGER", "SESV2", "SFN", "SQS", "SSM"];

interface Means {
  /** Also logs what the handlers write. */
  readonly verbose: boolean;
  readonly clock: Clock;
  readonly keys: Keyring;
  readonly access: ReturnType<typeof iam>;
  readonly files: PrivateFiles;
  /** Of the platform's data. */
  readonly directory: string;
  readonly url: string;
  readonly sdkUrl: string;
  readonly environments: EnvironmentLimits | undefined;
  readonly clusters: Readonly<Record<string, string>>;
  /** The value of the vendors' secret, as JSON. */
  readonly vendors: string | undefined;
  readonly log: (entry: PlatformLog) => void;
}

/** All local services. */
export const openServices = (means: Means) => {
  const { verbose, clock, keys, access, files, directory, url, sdkUrl, clusters, vendors, log } = means;
  const { authority } = access;
  const organizations = requestOrganizations();
  const parameters = ssm(clock);
  const onDropped = (name: string, requestId: string, reason: string): void =>
    log({ kind: "dropped", function: name, requestId, reason });
  const functions = lambda({
    clock,
    keys,
    authority,
    environments: means.environments,
    endpointVariables: Object.fromEntries(endpointSuffixes.map((suffix) => [`AWS_ENDPOINT_URL_${suffix}`, sdkUrl])),
    onOutput: (name, line) => {
      organizations.read(line);
      if (verbose) log({ kind: "output", function: name, line });
    },
    onDropped,
  });
  const gateway = apiGateway({
    clock,
    functions: functions.functions,
    url,
    onRequest: (entry) => log({ kind: "request", ...entry, organization: organizations.take(entry.requestId) }),
  });
  // The secrets whose values the template does not define: the databases' URIs, here with the same user in both.
  const given = (name: string): string | undefined => {
    if (name.endsWith("/vendors")) return vendors;
    return /\/mongodb(?:-provisioning)?$/.test(name) ? JSON.stringify(clusters) : undefined;
  };
  const queues = sqs({ clock, authority, functions: functions.functions, directory, url: sdkUrl, onDropped });
  const notices = sns({ send: queues.sendFromService });
  const services: readonly Service[] = [
    access,
    unattended(),
    parameters,
    secretsManager({ clock, files, given }),
    kms({ clock, files, authority }),
    s3({ clock, directory }),
    ses({
      clock,
      directory: join(directory, "mail"),
      onMail: (mail) => log({ kind: "mail", ...mail }),
      topics: notices.topics,
    }),
    notices,
    // Before the functions, so that a stop starts no run and does not make running tasks fail.
    scheduler({ clock, authority, functions: functions.functions, directory, sendDeadLetter: queues.send, onDropped }),
    stepFunctions({ clock, authority, functions: functions.functions, directory }),
    queues,
    functions,
    gateway,
  ];
  return { services, functions, gateway, parameters };
};
