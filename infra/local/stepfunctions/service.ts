import { join } from "node:path";
import * as z from "zod";
import type { Clock } from "../clock.ts";
import type { Authority } from "../iam/service.ts";
import type { Functions } from "../lambda/service.ts";
import { declare, refuse, type Service, tags } from "../service.ts";
import { parseDefinition } from "./definition.ts";
import { executions } from "./executions.ts";
import { lambdaTask } from "./lambda-task.ts";
import { type StateMachine, stateMachineArn, stepFunctionsEndpoint } from "./operations.ts";

const stateMachine = z.strictObject({
  StateMachineName: z.string().max(80).optional(),
  StateMachineType: z.literal("STANDARD", "must be STANDARD").optional(),
  DefinitionString: z.string(),
  DefinitionSubstitutions: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  RoleArn: z.string(),
  /** Logs and traces have no effect here. */
  LoggingConfiguration: z
    .strictObject({
      Level: z.enum(["ALL", "ERROR", "FATAL", "OFF"]).optional(),
      IncludeExecutionData: z.boolean().optional(),
      Destinations: z
        .array(z.strictObject({ CloudWatchLogsLogGroup: z.strictObject({ LogGroupArn: z.string() }) }))
        .optional(),
    })
    .optional(),
  TracingConfiguration: z.strictObject({ Enabled: z.boolean() }).optional(),
  Tags: tags.optional(),
});

interface Options {
  readonly clock: Clock;
  readonly authority: Authority;
  readonly functions: Functions;
  /** Of the platform's data. */
  readonly directory: string;
}

/** Step Functions: Standard state machines in JSONPath. README.md says what is supported. */
export const stepFunctions = ({ clock, authority, functions, directory }: Options): Service => {
  const machines = new Map<string, StateMachine>();
  const all = executions({
    clock,
    directory: join(directory, "platform", "stepfunctions"),
    invoke: lambdaTask({ functions, authority }),
  });
  return {
    name: "stepfunctions",
    resources: {
      "AWS::StepFunctions::StateMachine": declare(stateMachine, (properties, request) => {
        const { DefinitionString, DefinitionSubstitutions: values, RoleArn: roleArn } = properties;
        const name = properties.StateMachineName ?? `${request.stack}-${request.logicalId}`.slice(0, 80);
        const machineArn = stateMachineArn(name);
        if (machines.has(machineArn)) return refuse(request, `the state machine ${name} exists twice`);
        if (!authority.trusts(roleArn, "states.amazonaws.com")) {
          return refuse(request, `the role ${roleArn} does not let Step Functions assume it`);
        }
        const definition = DefinitionString.replaceAll(/\$\{(\w+)\}/g, (whole, key: string) =>
          Object.hasOwn(values, key) ? String(values[key]) : whole,
        );
        try {
          parseDefinition(definition);
        } catch (error) {
          return refuse(request, error instanceof Error ? error.message : String(error));
        }
        machines.set(machineArn, { arn: machineArn, name, definition, roleArn, createdAt: clock.now() });
        return { ref: machineArn, attributes: { Arn: machineArn, Name: name } };
      }),
    },
    endpoint: stepFunctionsEndpoint({ machines, executions: all }),
    start: all.resume,
    stop: async () => all.suspend(),
  };
};
