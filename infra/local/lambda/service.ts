import { randomUUID } from "node:crypto";
import { availableParallelism } from "node:os";
import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import { account, arn } from "../account.ts";
import type { Clock } from "../clock.ts";
import type { Keyring } from "../iam/credentials.ts";
import type { Authority } from "../iam/service.ts";
import { matchesArn } from "../iam/wildcard.ts";
import { declare, refuse, type Service } from "../service.ts";
import { asynchronousInvocations, type EventLimits } from "./asynchronous.ts";
import { capacity } from "./capacity.ts";
import type { Outcome } from "./environment.ts";
import { functionProperties } from "./function.ts";
import { invokeEndpoint } from "./invoke-endpoint.ts";
import { logStore } from "./log-store.ts";
import { openFunction } from "./open-function.ts";
import type { Invoker } from "./pool.ts";
import { pythonInterpreter } from "./python.ts";

/** The maximum of execution environments over all functions. Each takes about 50 MB. */
export interface EnvironmentLimits {
  readonly most: number;
  /** Milliseconds after which an idle one ends. */
  readonly idle: number;
  /** The maximum of processes that run Python, over all tenants and of one tenant. Each takes about 50 MB. */
  readonly processes?: { readonly most: number; readonly ofOneTenant: number };
}

const ordinaryLimits: EnvironmentLimits = { most: 64, idle: 60_000 };
/** One tenant's executions may be nested, and each level has a process. */
const ordinaryProcesses = { most: 48, ofOneTenant: 40 };
/** Milliseconds that a stop waits for asynchronous invocations. */
const backgroundPatience = 300;

const permission = z.strictObject({
  Action: z.literal("lambda:InvokeFunction"),
  FunctionName: z.string(),
  Principal: z.string(),
  SourceArn: z.string().optional(),
  SourceAccount: z.string().optional(),
});

const eventInvokeConfig = z.strictObject({
  FunctionName: z.string(),
  Qualifier: z.literal("$LATEST", "only $LATEST is supported"),
  MaximumRetryAttempts: z.number().int().min(0).max(2).default(2),
  MaximumEventAgeInSeconds: z.number().int().min(60).max(21_600).default(21_600),
});

interface Options {
  readonly clock: Clock;
  readonly keys: Keyring;
  readonly authority: Authority;
  readonly environments?: EnvironmentLimits | undefined;
  /** `AWS_ENDPOINT_URL_<SERVICE>` for every local service. */
  readonly endpointVariables: Readonly<Record<string, string>>;
  readonly onOutput: (functionName: string, line: string) => void;
  readonly onDropped: (functionName: string, requestId: string, reason: string) => void;
}

export interface LambdaFunction {
  readonly name: string;
  readonly arn: string;
  /** Whether it has tenant isolation, so that each invocation needs a tenant. */
  readonly perTenant: boolean;
  readonly roleArn: string;
  /** The time limit in seconds. */
  readonly timeout: number;
  /** The outcome of one invocation; undefined if it is throttled. */
  invoke(requestId: string, event: string, invoker?: Invoker): Promise<Outcome | undefined>;
  /** Whether a resource-based permission lets an AWS service invoke it for that source ARN. */
  permits(service: string, sourceArn: string): boolean;
  environments(): number;
}

export interface Functions {
  /** By name, ARN or partial ARN. */
  find(name: string): LambdaFunction | undefined;
  /**
   * Accepts an event for a function that exists, to be invoked with it in the background. Gives the request id. `onEnd`
   * is called when the event was handled or dropped.
   */
  accept(functionName: string, event: string, onEnd?: () => void): string;
  logs(functionName: string): readonly string[];
}

/** Lambda: worker threads and processes as execution environments, and the Invoke API. */
export const lambda = (options: Options): Service & { readonly functions: Functions } => {
  const { clock, keys, authority } = options;
  const { most, idle, processes = ordinaryProcesses } = options.environments ?? ordinaryLimits;
  const starting = Math.max(2, availableParallelism());
  const functions = new Map<string, LambdaFunction>();
  const stops: (() => Promise<void>)[] = [];
  const logs = logStore(options.onOutput);
  let python = "";
  let needsPython = false;
  const means = {
    clock,
    keys,
    idle,
    threads: capacity(most, starting),
    processes: capacity(processes.most, starting),
    ofOneTenant: processes.ofOneTenant,
    python: () => python,
    endpointVariables: options.endpointVariables,
    write: logs.write,
  };
  const permissions = new Map<string, z.output<typeof permission>[]>();

  const nameOf = (name: string): string => {
    if (!name.includes(":")) return name;
    return name.replace(/^.*?function:/, "").replace(/:\$LATEST$/, "");
  };
  const find: Functions["find"] = (name) => functions.get(nameOf(name));
  const eventLimits = new Map<string, EventLimits>();
  const background = asynchronousInvocations({
    clock,
    limitsOf: (name) => eventLimits.get(name),
    invoke: async (name, requestId, event) => functions.get(name)?.invoke(requestId, event),
    onDropped: options.onDropped,
  });

  const accept: Functions["accept"] = (name, event, onEnd) => {
    const requestId = randomUUID();
    background.accept(name, requestId, event, onEnd);
    return requestId;
  };

  return {
    name: "lambda",
    functions: { find, accept, logs: (name) => logs.read(nameOf(name)) },
    resources: {
      "AWS::Lambda::Function": declare(functionProperties, (properties, request) => {
        const name = properties.FunctionName ?? `${request.stack}-${request.logicalId}`.slice(0, 64);
        if (functions.has(name)) return refuse(request, `the function ${name} exists twice`);
        if (!authority.trusts(properties.Role, "lambda.amazonaws.com")) {
          return refuse(request, `the role ${properties.Role} does not let Lambda assume it`);
        }
        const { perTenant, invoke, size, stop } = openFunction(name, properties, request, means);
        needsPython ||= perTenant;
        stops.push(stop);
        const functionArn = arn("lambda", `function:${name}`);
        functions.set(name, {
          name,
          arn: functionArn,
          perTenant,
          invoke,
          roleArn: properties.Role,
          timeout: properties.Timeout,
          permits: (service, sourceArn) =>
            (permissions.get(name) ?? []).some(
              (one) =>
                one.Principal === service &&
                (one.SourceArn === undefined || matchesArn(one.SourceArn, sourceArn)) &&
                (one.SourceAccount === undefined || one.SourceAccount === account.id),
            ),
          environments: size,
        });
        return { ref: name, attributes: { Arn: functionArn } };
      }),
      "AWS::Lambda::EventInvokeConfig": declare(eventInvokeConfig, (properties, request) => {
        const name = nameOf(properties.FunctionName);
        if (!functions.has(name)) return refuse(request, `there is no function ${properties.FunctionName}`);
        const { MaximumRetryAttempts: retries, MaximumEventAgeInSeconds: seconds } = properties;
        eventLimits.set(name, { retries, oldest: seconds * 1000 });
        return { ref: request.logicalId };
      }),
      "AWS::Lambda::Permission": declare(permission, (properties, request) => {
        const name = nameOf(properties.FunctionName);
        if (!functions.has(name)) return refuse(request, `there is no function ${properties.FunctionName}`);
        permissions.set(name, [...(permissions.get(name) ?? []), properties]);
        return { ref: request.logicalId, attributes: { Id: request.logicalId } };
      }),
    },
    endpoint: invokeEndpoint({ find, logs: logs.read, accept }),
    start: async () => {
      if (needsPython) python = await pythonInterpreter();
    },
    stop: async () => {
      await Promise.race([background.settled(), setTimeout(backgroundPatience, undefined, { ref: false })]);
      await Promise.all(stops.map((stop) => stop()));
    },
  };
};
