import * as z from "zod";
import { arn } from "../account.ts";
import type { Clock } from "../clock.ts";
import { type SdkCall, ServiceError } from "../sdk/call.ts";
import { jsonEndpoint, operation } from "../sdk/json-endpoint.ts";
import { declare, refuse, type Service, tags } from "../service.ts";

const parameter = z.strictObject({
  Name: z.string(),
  Type: z.literal("String"),
  Value: z.string(),
  Description: z.string().optional(),
  Tier: z.string().optional(),
  AllowedPattern: z.string().optional(),
  Tags: tags.optional(),
});

/** SSM Parameter Store: the templates' parameters, for other stacks and functions. */
export const ssm = (clock: Clock): Service & { value(name: string): string | undefined } => {
  const parameters = new Map<string, { value: string; modified: number }>();
  const arnOf = (name: string): string => arn("ssm", `parameter${name.startsWith("/") ? name : `/${name}`}`);
  const nameOf = (nameOrArn: string): string => {
    if (!nameOrArn.startsWith("arn:")) return nameOrArn;
    const path = nameOrArn.slice(nameOrArn.indexOf(":parameter") + ":parameter".length);
    return parameters.has(path) ? path : path.slice(1);
  };
  const read = (nameOrArn: string, call: SdkCall, action: string) => {
    const name = nameOf(nameOrArn);
    call.authorize(action, arnOf(name));
    const found = parameters.get(name);
    return (
      found && {
        ARN: arnOf(name),
        Name: name,
        Type: "String",
        Value: found.value,
        Version: 1,
        DataType: "text",
        LastModifiedDate: found.modified / 1000,
      }
    );
  };
  return {
    name: "ssm",
    resources: {
      "AWS::SSM::Parameter": declare(parameter, ({ Name, Value }, request) => {
        if (parameters.has(Name)) return refuse(request, `the parameter ${Name} exists twice`);
        parameters.set(Name, { value: Value, modified: clock.now() });
        return { ref: Name, attributes: { Type: "String", Value } };
      }),
    },
    value: (name) => parameters.get(name)?.value,
    endpoint: jsonEndpoint("ssm", {
      GetParameter: operation(
        z.strictObject({ Name: z.string(), WithDecryption: z.boolean().optional() }),
        ({ Name }, call) => {
          const found = read(Name, call, "ssm:GetParameter");
          if (found === undefined) throw new ServiceError("ParameterNotFound", `Parameter ${Name} not found.`);
          return { Parameter: found };
        },
      ),
      GetParameters: operation(
        z.strictObject({ Names: z.array(z.string()).min(1).max(10), WithDecryption: z.boolean().optional() }),
        ({ Names }, call) => {
          const found = Names.map((name) => ({ name, value: read(name, call, "ssm:GetParameters") }));
          return {
            Parameters: found.flatMap(({ value }) => value ?? []),
            InvalidParameters: found.filter(({ value }) => value === undefined).map(({ name }) => name),
          };
        },
      ),
    }),
  };
};
