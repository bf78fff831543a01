import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { account, arn } from "../account.ts";
import type { Clock } from "../clock.ts";
import type { Keyring } from "../iam/credentials.ts";
import type { ResourceRequest } from "../service.ts";
import type { Capacity } from "./capacity.ts";
import { functionError, type Outcome, openEnvironment } from "./environment.ts";
import { type FunctionProperties, handlerFile, runtimeVariables } from "./function.ts";
import { type Invoker, openPool } from "./pool.ts";
import { openProcess } from "./process.ts";
import { openTenantPools } from "./tenants.ts";

interface Means {
  readonly clock: Clock;
  readonly keys: Keyring;
  /** For worker threads. */
  readonly threads: Capacity;
  readonly processes: Capacity;
  /** The maximum of processes of one tenant. */
  readonly ofOneTenant: number;
  /** Milliseconds after which an idle environment ends. */
  readonly idle: number;
  /** The path of Python's interpreter, when the resources exist. */
  readonly python: () => string;
  readonly endpointVariables: Readonly<Record<string, string>>;
  readonly write: (functionName: string, text: string) => void;
}

/** The execution environments of one function. */
interface OpenFunction {
  /** Whether each invocation needs a tenant. */
  readonly perTenant: boolean;
  /** The outcome of one invocation; undefined if it is throttled. */
  invoke(requestId: string, event: string, invoker?: Invoker): Promise<Outcome | undefined>;
  size(): number;
  stop(): Promise<void>;
}

/**
 * Opens a function: worker threads for Node, processes keyed by tenant for Python. Nothing is started before an event.
 */
export const openFunction = (
  name: string,
  properties: FunctionProperties,
  request: ResourceRequest,
  means: Means,
): OpenFunction => {
  const { clock, idle } = means;
  const { Runtime: runtime, MemorySize: memory, Handler: handler } = properties;
  const file = handlerFile(request, runtime);
  const directory = dirname(file);
  const logGroup = properties.LoggingConfig?.LogGroup ?? `/aws/lambda/${name}`;
  const logStream = `local/[$LATEST]${createHash("sha256").update(name).digest("hex").slice(0, 32)}`;
  const credentials = means.keys.issue({ kind: "role", roleArn: properties.Role, session: name });
  const { region } = account;
  const variables = {
    ...runtimeVariables({ name, runtime, memory, handler, directory, region, logGroup, logStream }),
    ...properties.Environment?.Variables,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: credentials.sessionToken,
  };
  const timeout = properties.Timeout * 1000;
  const onOutput = (text: string): void => means.write(name, text);
  const reservedConcurrency = properties.ReservedConcurrentExecutions;
  if (runtime === "python3.13") {
    const pools = openTenantPools({
      capacity: means.processes,
      clock,
      reservedConcurrency,
      idleLimit: idle,
      most: means.ofOneTenant,
      open: (hooks) =>
        openProcess({
          ...hooks,
          command: [means.python(), "-B", "-s", basename(file), String(process.pid)],
          directory,
          variables,
          timeout,
          onOutput,
        }),
    });
    return {
      perTenant: true,
      invoke: async (requestId, event, { tenant } = anyone) =>
        tenant === undefined ? withoutTenant : pools.invoke(tenant, requestId, event),
      size: pools.size,
      stop: pools.stop,
    };
  }
  const settings = {
    file,
    exportName: handler.slice("index.".length),
    functionName: name,
    functionArn: arn("lambda", `function:${name}`),
    memory: String(memory),
    logGroup,
    logStream,
  };
  const environment = {
    settings,
    variables: { ...variables, ...means.endpointVariables },
    memory,
    timeout,
    onOutput,
  };
  const pool = openPool({
    capacity: means.threads,
    clock,
    reservedConcurrency,
    idleLimit: idle,
    open: (hooks) => openEnvironment({ ...environment, ...hooks }),
  });
  return { perTenant: false, invoke: pool.invoke, size: pool.size, stop: pool.stop };
};

const anyone: Invoker = { caller: undefined, milliseconds: Number.POSITIVE_INFINITY };

const withoutTenant = functionError(
  "InvalidParameterValueException",
  "A function with tenant isolation is invoked with a tenant id.",
);
