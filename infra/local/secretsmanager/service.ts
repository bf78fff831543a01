import { createHash, randomUUID } from "node:crypto";
import * as z from "zod";
import { arn } from "../account.ts";
import type { Clock } from "../clock.ts";
import type { PrivateFiles } from "../data/private-files.ts";
import { type SdkCall, ServiceError } from "../sdk/call.ts";
import { jsonEndpoint, operation } from "../sdk/json-endpoint.ts";
import { declare, refuse, type Service, tags } from "../service.ts";
import { generate, generation } from "./generate.ts";

const secret = z
  .strictObject({
    Name: z.string().optional(),
    Description: z.string().optional(),
    SecretString: z.string().optional(),
    GenerateSecretString: generation.optional(),
    Tags: tags.optional(),
  })
  .refine((one) => one.SecretString === undefined || one.GenerateSecretString === undefined, {
    message: "SecretString and GenerateSecretString exclude each other",
  });

const stored = z.object({ value: z.string(), version: z.string(), created: z.number() });
const allStored = z.record(z.string(), stored);
type Stored = z.output<typeof stored>;

const file = "secrets.json";

interface Options {
  readonly clock: Clock;
  readonly files: PrivateFiles;
  /** Values given at the start, by the secret's name. They are never written to disk. */
  readonly given: (name: string) => string | undefined;
}

/**
 * Secrets Manager. Generated values are created at the first start, and stored in a file that only this user can read.
 */
export const secretsManager = ({ clock, files, given }: Options): Service => {
  const kept: Record<string, Stored> = files.read(file, allStored) ?? {};
  const secrets = new Map<string, { name: string; description: string; current: Stored }>();

  const currentOf = (name: string, { SecretString, GenerateSecretString }: z.output<typeof secret>): Stored => {
    const fresh = (value: string): Stored => ({ value, version: randomUUID(), created: clock.now() });
    const fixed = given(name) ?? SecretString;
    if (fixed !== undefined) return fresh(fixed);
    const known = kept[name];
    if (known !== undefined) return known;
    const made = fresh(GenerateSecretString === undefined ? "" : generate(GenerateSecretString));
    kept[name] = made;
    files.write(file, kept);
    return made;
  };

  const find = (id: string, action: string, call: SdkCall, context = {}) => {
    const found = [...secrets].find(
      ([secretArn, { name }]) => id === secretArn || id === name || id === secretArn.slice(0, -7),
    );
    // Without permission the reply does not reveal whether the secret exists.
    call.authorize(action, found?.[0] ?? (id.startsWith("arn:") ? id : arn("secretsmanager", `secret:${id}`)), {
      ...context,
      ...(found && { "secretsmanager:SecretId": found[0] }),
    });
    if (found === undefined) {
      throw new ServiceError("ResourceNotFoundException", "Secrets Manager can't find the specified secret.");
    }
    return { arn: found[0], ...found[1] };
  };

  return {
    name: "secretsmanager",
    resources: {
      "AWS::SecretsManager::Secret": declare(secret, (properties, request) => {
        const name = properties.Name ?? `${request.stack}-${request.logicalId}`;
        const secretArn = arn("secretsmanager", `secret:${name}-${suffix(name)}`);
        if (secrets.has(secretArn)) return refuse(request, `the secret ${name} exists twice`);
        const description = properties.Description ?? "";
        secrets.set(secretArn, { name, description, current: currentOf(name, properties) });
        return { ref: secretArn, attributes: { Id: secretArn } };
      }),
    },
    endpoint: jsonEndpoint("secretsmanager", {
      GetSecretValue: operation(
        z.strictObject({
          SecretId: z.string(),
          VersionId: z.string().optional(),
          VersionStage: z.string().optional(),
        }),
        ({ SecretId, VersionId, VersionStage = "AWSCURRENT" }, call) => {
          const context = { "secretsmanager:VersionStage": VersionStage };
          const found = find(SecretId, "secretsmanager:GetSecretValue", call, context);
          const { value, version, created } = found.current;
          if (VersionStage !== "AWSCURRENT" || (VersionId ?? version) !== version || value === "") {
            throw new ServiceError(
              "ResourceNotFoundException",
              `Secrets Manager can't find the specified secret value for staging label: ${VersionStage}`,
            );
          }
          return {
            ARN: found.arn,
            Name: found.name,
            SecretString: value,
            VersionId: version,
            VersionStages: ["AWSCURRENT"],
            CreatedDate: created / 1000,
          };
        },
      ),
      DescribeSecret: operation(z.strictObject({ SecretId: z.string() }), ({ SecretId }, call) => {
        const found = find(SecretId, "secretsmanager:DescribeSecret", call);
        return {
          ARN: found.arn,
          Name: found.name,
          Description: found.description,
          CreatedDate: found.current.created / 1000,
          VersionIdsToStages: { [found.current.version]: ["AWSCURRENT"] },
        };
      }),
    }),
  };
};

/** The six characters that AWS appends to a secret's name in its ARN; the same at every start. */
const suffix = (name: string): string => createHash("sha256").update(name).digest("hex").slice(0, 6);
