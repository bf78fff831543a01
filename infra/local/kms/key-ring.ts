import type { KeyObject } from "node:crypto";
import { account, arn } from "../account.ts";
import { evaluate, type Statement } from "../iam/policy.ts";
import { type Authority, accessDenied } from "../iam/service.ts";
import { type ConditionContext, type SdkCall, ServiceError } from "../sdk/call.ts";
import type { KeySpec } from "./key-material.ts";

export interface Key {
  readonly id: string;
  readonly arn: string;
  readonly spec: KeySpec;
  readonly usage: "ENCRYPT_DECRYPT" | "SIGN_VERIFY";
  readonly description: string;
  readonly policy: readonly Statement[];
  readonly created: number;
  readonly material: Promise<KeyObject>;
}

/** The keys of the templates, and who may use them. */
export const keyRing = (authority: Authority) => {
  const keys = new Map<string, Key>();
  const aliases = new Map<string, string>();

  const find = (name: string): Key => {
    const short = name.startsWith("arn:") ? name.split(":").slice(5).join(":") : name;
    const found = keys.get(aliases.get(short) ?? short.replace(/^key\//, ""));
    if (found !== undefined) return found;
    const what = short.startsWith("alias/") ? "Alias" : "Key";
    throw new ServiceError(
      "NotFoundException",
      `${what} '${name.startsWith("arn:") ? name : arn("kms", short)}' does not exist`,
    );
  };

  /** Requires permission by the key's policy and, if that delegates to the account, by the caller's own policies. */
  const use = (name: string, action: string, call: SdkCall, more: ConditionContext = {}): Key => {
    const key = find(name);
    const alias = name.startsWith("arn:") ? name.split(":").slice(5).join(":") : name;
    const conditions: ConditionContext = {
      "kms:CallerAccount": account.id,
      "kms:KeySpec": key.spec,
      "kms:KeyUsage": key.usage,
      "kms:ResourceAliases": [...aliases].filter(([, id]) => id === key.id).map(([one]) => one),
      ...(alias.startsWith("alias/") && { "kms:RequestAlias": alias }),
      ...more,
    };
    const identity = authority.identitySays(call.caller, action, key.arn, conditions);
    const request = { action, resource: key.arn, context: conditions };
    const byKey = (principal: string): ReturnType<typeof evaluate> =>
      evaluate(
        key.policy.filter((one) => names(one, principal)),
        request,
      );
    const direct = byKey(call.caller.kind === "role" ? call.caller.roleArn : arn("iam", "user/operator"));
    const delegated = byKey(arn("iam", "root"));
    if ([identity, direct, delegated].includes("deny")) throw accessDenied(call.caller, action, key.arn, true);
    if (direct === "allow" || (delegated === "allow" && identity === "allow")) return key;
    throw accessDenied(call.caller, action, key.arn, false);
  };

  const useFor = (usage: Key["usage"], ...argument: Parameters<typeof use>): Key => {
    const key = use(...argument);
    if (key.usage === usage) return key;
    throw new ServiceError(
      "InvalidKeyUsageException",
      `${key.arn} key usage is ${key.usage} which is not valid for this.`,
    );
  };

  return {
    add: (key: Key): void => void keys.set(key.id, key),
    has: (id: string): boolean => keys.has(id),
    alias: (name: string, id: string): void => void aliases.set(name, id),
    all: (): Key[] => [...keys.values()],
    use,
    useFor,
  };
};

export type KeyRing = ReturnType<typeof keyRing>;

const names = (statement: Statement, principal: string): boolean =>
  (statement.Principal?.AWS ?? []).some(
    (one) => one === "*" || one === principal || (one === account.id && principal === arn("iam", "root")),
  );
