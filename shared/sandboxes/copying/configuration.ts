import type { Document } from "mongodb";
import type { ConfigurationKind } from "#contracts/sandbox-bodies";
import { configurationKinds } from "#contracts/sandbox-bodies";
import { writeOnlyFieldsOf } from "#shared/data/access/access";
import { type Field, isReference, type ObjectSchema } from "#shared/data/schema/schema";
import { isSecretName } from "#shared/foundation/secret-names";
import { READERS_FIELD } from "#shared/tenant/tenant";
import { maskedIf, maskedJson, namesSecret, SECRET_MASK } from "./mask.ts";

export const SCHEMAS: ConfigurationKind = "schemas";

/** Their keys are names of objects and fields, which may sound secret and are not. */
const keyedByNames: ReadonlySet<string> = new Set([
  "permission.object_permissions",
  "permission.object_field_permissions",
]);

export const isCopied = (object: string, { api_name, encrypted, type }: Field): boolean => {
  if (encrypted === true || writeOnlyFieldsOf(object).includes(api_name)) return false;
  return !isSecretName(api_name) || type === "string" || type === "boolean";
};

/** Fields whose values are JSON of any shape. */
const isFreeForm = (field: Field): boolean =>
  (field.type === "json" || field.type === "list") &&
  !isReference(field) &&
  field.format !== "multi-select" &&
  field.format !== "address";

const maskOfField = (object: string, field: Field): Document | undefined => {
  const path = `$${field.api_name}`;
  // A record of `app_metadata` is a named value.
  if (object === "app_metadata" && field.api_name === "value")
    return maskedIf(namesSecret("$api_name", "$name"), path, maskedJson(path));
  if (field.type === "string" && isSecretName(field.api_name)) {
    return { $cond: [{ $eq: [{ $type: path }, "string"] }, SECRET_MASK, path] };
  }
  if (!isFreeForm(field) || keyedByNames.has(`${object}.${field.api_name}`)) return undefined;
  return maskedJson(path);
};

/** The stages that leave a record's secrets out: only known fields, none that is encrypted, no value of a secret name. */
export const recordsPipeline = ({ api_name: object, properties }: ObjectSchema): Document[] => {
  const fields = Object.values(properties).filter((field) => isCopied(object, field));
  const masks = fields.flatMap((field) => {
    const mask = field.system === true ? undefined : maskOfField(object, field);
    return mask === undefined ? [] : [[field.api_name, mask] as const];
  });
  const kept = Object.fromEntries([...fields.map(({ api_name }) => api_name), READERS_FIELD].map((name) => [name, 1]));
  return [
    { $project: { _id: 1, ...kept } },
    // `$set` gives a field that has no value nothing.
    ...(masks.length === 0 ? [] : [{ $set: Object.fromEntries(masks) }]),
  ];
};

const field = "$$field.v";

/** Defaults that could be secret. The pattern of an auto-number is none. */
const hasSecretDefault: Document = {
  $and: [
    { $ne: [`${field}.format`, "auto-number"] },
    { $or: [{ $eq: [`${field}.encrypted`, true] }, { $eq: [`${field}.sensitive`, true] }, namesSecret("$$field.k")] },
  ],
};

const without = (input: Document | string, name: string): Document => ({ $unsetField: { field: name, input } });

/** The collections of other objects are empty in a copy, so their indexes can be built. */
const withoutIndexStatus: Document = {
  $cond: [
    { $in: ["$api_name", [...configurationKinds]] },
    field,
    without(without(field, "index_status"), "index_failure"),
  ],
};

const schemasPipeline = (): Document[] => [
  {
    $set: {
      properties: {
        $arrayToObject: {
          $map: {
            input: { $objectToArray: "$properties" },
            as: "field",
            in: {
              k: "$$field.k",
              v: {
                $let: {
                  vars: { settled: withoutIndexStatus },
                  in: { $cond: [hasSecretDefault, without("$$settled", "default"), "$$settled"] },
                },
              },
            },
          },
        },
      },
    },
  },
];

/**
 * The stages that make a copy of one kind of configuration of its documents. Null if the organization does not have the
 * object.
 */
export const configurationPipeline = (kind: ConfigurationKind, schema: ObjectSchema | null): Document[] | null => {
  if (kind === SCHEMAS) return schemasPipeline();
  return schema === null ? null : recordsPipeline(schema);
};
