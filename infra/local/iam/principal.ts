import { account, arn } from "../account.ts";

/** The signer of a request: a function with its role, or the operator of this machine. */
export type Principal =
  | { readonly kind: "role"; readonly roleArn: string; readonly session: string }
  | { readonly kind: "operator" };

/** The principal in IAM's form for messages. */
export const principalArn = (principal: Principal): string =>
  principal.kind === "operator"
    ? arn("iam", "user/operator")
    : `arn:${account.partition}:sts::${account.id}:assumed-role/${principal.roleArn.split("/").at(-1)}/${principal.session}`;
