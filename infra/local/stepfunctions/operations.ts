import { randomUUID } from "node:crypto";
import * as z from "zod";
import { arn } from "../account.ts";
import { type SdkCall, ServiceError } from "../sdk/call.ts";
import { jsonEndpoint, operation } from "../sdk/json-endpoint.ts";
import type { SdkEndpoint } from "../service.ts";
import { type Execution, type Executions, executionArnOf, statuses } from "./executions.ts";
import type { Entry } from "./journal.ts";
import { isTooLarge } from "./state-error.ts";

export interface StateMachine {
  readonly arn: string;
  readonly name: string;
  readonly definition: string;
  readonly roleArn: string;
  readonly createdAt: number;
}

interface Options {
  readonly machines: ReadonlyMap<string, StateMachine>;
  readonly executions: Executions;
}

const page = {
  maxResults: z.number().int().min(0).max(1000).optional(),
  nextToken: z.string().optional(),
};
const ofExecution = { executionArn: z.string() };
const ofMachine = { stateMachineArn: z.string() };

const start = z.strictObject({
  ...ofMachine,
  name: z.string().optional(),
  input: z.string().default("{}"),
  traceHeader: z.string().optional(),
});
const stop = z.strictObject({
  ...ofExecution,
  error: z.string().max(256).optional(),
  cause: z.string().max(32_768).optional(),
});
const list = z.strictObject({ ...page, ...ofMachine, statusFilter: z.enum(statuses).optional() });
const history = z.strictObject({
  ...page,
  ...ofExecution,
  reverseOrder: z.boolean().default(false),
  includeExecutionData: z.boolean().default(true),
});

/** The JSON protocol writes times in seconds. */
const seconds = (time: number): number => time / 1000;

/** A page of a list. The token is the position of the next one. */
const pageOf = <T>(
  all: readonly T[],
  { maxResults = 100, nextToken = "0" }: { maxResults?: number | undefined; nextToken?: string | undefined },
) => {
  const from = Number(nextToken);
  if (!Number.isInteger(from) || from < 0) throw new ServiceError("InvalidToken", `Invalid Token: '${nextToken}'`);
  const to = from + (maxResults === 0 ? 100 : maxResults);
  return { entries: all.slice(from, to), ...(to < all.length && { nextToken: String(to) }) };
};

/** The API, https://docs.aws.amazon.com/step-functions/latest/apireference/API_Operations.html */
export const stepFunctionsEndpoint = ({ machines, executions }: Options): SdkEndpoint => {
  const machineFor = (call: SdkCall, action: string, machineArn: string): StateMachine => {
    call.authorize(`states:${action}`, machineArn);
    const found = machines.get(machineArn);
    if (found !== undefined) return found;
    throw new ServiceError("StateMachineDoesNotExist", `State Machine Does Not Exist: '${machineArn}'`);
  };
  const executionFor = (call: SdkCall, action: string, executionArn: string): Execution => {
    call.authorize(`states:${action}`, executionArn);
    const found = executions.find(executionArn);
    if (found !== undefined) return found;
    throw new ServiceError("ExecutionDoesNotExist", `Execution Does Not Exist: '${executionArn}'`);
  };
  return jsonEndpoint("states", {
    StartExecution: operation(start, ({ stateMachineArn, name = randomUUID(), input }, call) => {
      const machine = machineFor(call, "StartExecution", stateMachineArn);
      requireName(name);
      requireInput(input);
      const existing = executions.find(executionArnOf(machine.name, name));
      if (existing !== undefined && (existing.ending.status !== "RUNNING" || existing.input !== input)) {
        throw new ServiceError("ExecutionAlreadyExists", `Execution Already Exists: '${existing.arn}'`);
      }
      const { arn: machineArn, name: machineName, definition, roleArn } = machine;
      const one = existing ?? executions.start({ machineArn, machineName, name, input, definition, roleArn });
      return { executionArn: one.arn, startDate: seconds(one.startedAt) };
    }),
    StopExecution: operation(stop, ({ executionArn, ...why }, call) => {
      executionFor(call, "StopExecution", executionArn);
      executions.stop(executionArn, why);
      return { stopDate: seconds(executions.find(executionArn)?.stoppedAt ?? 0) };
    }),
    DescribeExecution: operation(
      z.strictObject({ ...ofExecution, includedData: z.literal("ALL_DATA").optional() }),
      ({ executionArn }, call) => {
        const one = executionFor(call, "DescribeExecution", executionArn);
        const { output, error, cause } = one.ending;
        return {
          ...summary(one),
          input: one.input,
          inputDetails: { included: true },
          ...(output !== undefined && { output, outputDetails: { included: true } }),
          ...(error !== undefined && { error }),
          ...(cause !== undefined && { cause }),
          redriveCount: 0,
        };
      },
    ),
    ListExecutions: operation(list, ({ stateMachineArn, statusFilter, ...which }, call) => {
      machineFor(call, "ListExecutions", stateMachineArn);
      const all = executions
        .list(stateMachineArn)
        .filter((one) => statusFilter === undefined || one.ending.status === statusFilter);
      const { entries, ...rest } = pageOf(all, which);
      return { executions: entries.map(summary), ...rest };
    }),
    GetExecutionHistory: operation(history, ({ executionArn, reverseOrder, includeExecutionData, ...which }, call) => {
      executionFor(call, "GetExecutionHistory", executionArn);
      const all = executions.history(executionArn);
      const { entries, ...rest } = pageOf(reverseOrder ? all.reverse() : all, which);
      return { events: entries.map((one) => eventOf(one, includeExecutionData)), ...rest };
    }),
    DescribeStateMachine: operation(z.strictObject(ofMachine), ({ stateMachineArn }, call) => {
      const machine = machineFor(call, "DescribeStateMachine", stateMachineArn);
      const { definition, roleArn } = machine;
      return { ...machineSummary(machine), status: "ACTIVE", definition, roleArn };
    }),
    ListStateMachines: operation(z.strictObject(page), (which, call) => {
      call.authorize("states:ListStateMachines", "*");
      const { entries, ...rest } = pageOf([...machines.values()], which);
      return { stateMachines: entries.map(machineSummary), ...rest };
    }),
  });
};

const machineSummary = ({ arn: stateMachineArn, name, createdAt }: StateMachine) => ({
  stateMachineArn,
  name,
  type: "STANDARD",
  creationDate: seconds(createdAt),
});

const summary = (one: Execution) => ({
  executionArn: one.arn,
  stateMachineArn: one.machineArn,
  name: one.name,
  status: one.ending.status,
  startDate: seconds(one.startedAt),
  ...(one.stoppedAt !== undefined && { stopDate: seconds(one.stoppedAt) }),
});

/** Types whose details have a name that does not follow from the type. */
const detailsNames: readonly (readonly [RegExp, string])[] = [
  [/StateEntered$/, "stateEnteredEventDetails"],
  [/StateExited$/, "stateExitedEventDetails"],
];

const payloads = ["input", "output", "parameters"];

const eventOf = ({ event, previous = 0, at, type = "", details }: Entry, withData: boolean) => {
  const usual = `${type.charAt(0).toLowerCase()}${type.slice(1)}EventDetails`;
  const name = detailsNames.find(([pattern]) => pattern.test(type))?.[1] ?? usual;
  const shown = Object.entries(details ?? {}).filter(([key]) => withData || !payloads.includes(key));
  return {
    timestamp: seconds(at),
    type,
    id: event,
    previousEventId: previous,
    ...(details !== undefined && { [name]: Object.fromEntries(shown) }),
  };
};

const requireName = (name: string): void => {
  const valid = name.length >= 1 && name.length <= 80 && !/[\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}]/u.test(name);
  if (!valid) throw new ServiceError("InvalidName", `Invalid Name: '${name}'`);
};

const requireInput = (input: string): void => {
  if (isTooLarge(input)) {
    throw new ServiceError(
      "ValidationException",
      "1 validation error detected: Value at 'input' failed to satisfy constraint: Member must have length less than or equal to 262144",
    );
  }
  try {
    JSON.parse(input);
  } catch {
    throw new ServiceError("InvalidExecutionInput", "Invalid State Machine Execution Input: it is not JSON.");
  }
};

export const stateMachineArn = (name: string): string => arn("states", `stateMachine:${name}`);
