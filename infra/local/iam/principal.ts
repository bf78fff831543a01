import { account, arn } from "../account.ts";

/** Who signs a request: a function with its role, or whoever operates this machine. */
export type Principal =
  | { readonly kind: "role"; readonly roleArn: string; readonly session: string }
  | { readonly kind: "operator" };

/** The principal as IAM writes it in its messages. */
export const principalArn = (principal: Principal): string =>
  principal.kind === "operator"
    ? arn("iam", "user/operator")
    : `arn:${account.partition}:sts::${account.id}:assumed-role/${principal.roleArn.split("/").at(-1)}/${principal.session}`;
