import * as z from "zod";
import { account, arn } from "../account.ts";
import { type ConditionContext, ServiceError } from "../sdk/call.ts";
import { declare, refuse, type Service, tags } from "../service.ts";
import { evaluate, policyDocument, type Statement } from "./policy.ts";
import { type Principal, principalArn } from "./principal.ts";

/** AWS's managed policies that roles may refer to. */
const managed: Readonly<Record<string, readonly Statement[]>> = {
  "service-role/AWSLambdaBasicExecutionRole": [
    { Effect: "Allow", Action: ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"], Resource: ["*"] },
  ],
  AWSXRayDaemonWriteAccess: [
    {
      Effect: "Allow",
      Action: ["xray:PutTraceSegments", "xray:PutTelemetryRecords", "xray:GetSampling*"],
      Resource: ["*"],
    },
  ],
};

const role = z.strictObject({
  RoleName: z.string().optional(),
  Path: z.string().optional(),
  Description: z.string().optional(),
  AssumeRolePolicyDocument: policyDocument,
  ManagedPolicyArns: z.array(z.string()).default([]),
  Policies: z.array(z.strictObject({ PolicyName: z.string(), PolicyDocument: policyDocument })).default([]),
  MaxSessionDuration: z.number().optional(),
  Tags: tags.optional(),
});

const policy = z.strictObject({
  PolicyName: z.string(),
  PolicyDocument: policyDocument,
  Roles: z.array(z.string()),
});

interface Role {
  readonly trust: readonly Statement[];
  readonly statements: Statement[];
}

/** The roles of the templates with all their policies. */
export interface Authority {
  /** Whether the service (`lambda.amazonaws.com`) may assume the role. */
  trusts(roleArn: string, service: string): boolean;
  /** The decision of the identity's own policies. */
  identitySays(principal: Principal, action: string, resource: string, context?: ConditionContext): Verdict;
  /** Throws AccessDeniedException unless the identity's own policies allow the action. */
  authorize(principal: Principal, action: string, resource: string, context?: ConditionContext): void;
}

type Verdict = ReturnType<typeof evaluate>;

/** The error for a request that is not allowed. */
export const accessDenied = (principal: Principal, action: string, resource: string, explicit: boolean): ServiceError =>
  new ServiceError(
    "AccessDeniedException",
    `User: ${principalArn(principal)} is not authorized to perform: ${action} on resource: ${resource} ${
      explicit ? "with an explicit deny" : `because no identity-based policy allows the ${action} action`
    }`,
    403,
  );

/** IAM: roles and their policies, which are evaluated for every call. */
export const iam = (): Service & { readonly authority: Authority } => {
  const roles = new Map<string, Role>();
  const identitySays: Authority["identitySays"] = (principal, action, resource, context = {}) => {
    if (principal.kind === "operator") return "allow";
    const statements = roles.get(principal.roleArn)?.statements ?? [];
    const known = { "aws:PrincipalArn": principal.roleArn, "aws:PrincipalAccount": account.id, ...context };
    return evaluate(statements, { action, resource, context: known });
  };
  return {
    name: "iam",
    resources: {
      "AWS::IAM::Role": declare(role, (properties, request) => {
        const name = properties.RoleName ?? `${request.stack}-${request.logicalId}`;
        const roleArn = arn("iam", `role${properties.Path ?? "/"}${name}`);
        const attached = properties.ManagedPolicyArns.flatMap(
          (one) =>
            managed[one.split(":policy/")[1] ?? ""] ?? refuse(request, `the managed policy ${one} is not known here`),
        );
        const inline = properties.Policies.flatMap((one) => one.PolicyDocument);
        roles.set(roleArn, { trust: properties.AssumeRolePolicyDocument, statements: [...attached, ...inline] });
        return {
          ref: name,
          attributes: { Arn: roleArn, RoleId: `AROA${request.logicalId.toUpperCase().slice(0, 16)}` },
        };
      }),
      "AWS::IAM::Policy": declare(policy, (properties, request) => {
        for (const name of properties.Roles) {
          const found = [...roles].find(([roleArn]) => roleArn.split("/").at(-1) === name)?.[1];
          if (found === undefined) return refuse(request, `no role is named ${name}`);
          found.statements.push(...properties.PolicyDocument);
        }
        return { ref: properties.PolicyName };
      }),
    },
    authority: {
      trusts: (roleArn, service) =>
        roles
          .get(roleArn)
          ?.trust.some(
            (one) =>
              one.Effect === "Allow" &&
              one.Action.includes("sts:AssumeRole") &&
              one.Principal?.Service?.includes(service),
          ) ?? false,
      identitySays,
      authorize: (principal, action, resource, context) => {
        const verdict = identitySays(principal, action, resource, context);
        if (verdict !== "allow") throw accessDenied(principal, action, resource, verdict === "deny");
      },
    },
  };
};
