import * as z from "zod";
import { Refusal } from "../refusal.ts";

/** A stack and its synthesized CloudFormation template, as JSON. */
export interface StackTemplate {
  readonly stack: string;
  readonly template: unknown;
}

const json = z.record(z.string(), z.unknown());

const resource = z.strictObject({
  Type: z.string(),
  Properties: json.optional(),
  Metadata: json.optional(),
  DependsOn: z.union([z.string(), z.array(z.string())]).optional(),
  Condition: z.string().optional(),
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
});

const parameter = z.strictObject({
  Type: z.enum(["String", "Number", "AWS::SSM::Parameter::Value<String>"]),
  Default: z.union([z.string(), z.number()]).optional(),
  Description: z.string().optional(),
  AllowedValues: z.array(z.unknown()).optional(),
  NoEcho: z.unknown().optional(),
});

const template = z.strictObject({
  AWSTemplateFormatVersion: z.string().optional(),
  Description: z.string().optional(),
  Metadata: json.optional(),
  Parameters: z.record(z.string(), parameter).default({}),
  Mappings: z.record(z.string(), z.record(z.string(), json)).default({}),
  Conditions: z.record(z.string(), z.unknown()).default({}),
  // CDK writes one rule, on the version of its bootstrap stack, which does not exist here.
  Rules: z.strictObject({ CheckBootstrapVersion: z.unknown() }).partial().default({}),
  Resources: z.record(z.string(), resource).default({}),
  Outputs: z
    .record(
      z.string(),
      z.strictObject({
        Value: z.unknown(),
        Description: z.string().optional(),
        Condition: z.string().optional(),
        Export: z.strictObject({ Name: z.unknown() }).optional(),
      }),
    )
    .default({}),
});

export type Template = z.output<typeof template>;
export type TemplateResource = z.output<typeof resource>;

/** Parses a template. Refuses an invalid one with the stack and the position. */
export const parseTemplate = ({ stack, template: source }: StackTemplate): Template => {
  const parsed = template.safeParse(source);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Refusal(
    `The local platform cannot read the template of ${stack}: ${issue?.path.map(String).join(".")}: ${issue?.message}.`,
  );
};
