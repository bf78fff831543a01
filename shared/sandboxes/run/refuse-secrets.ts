import type { Document } from "mongodb";
import { configurationKinds } from "#contracts/sandbox-bodies";
import { writeOnlyFieldsOf } from "#shared/data/access/access";
import { type ObjectSchema, resolveSchema, standardSchemas } from "#shared/data/schema/schema";
import { Fault } from "#shared/foundation/faults";
import type { Provisioning } from "#shared/tenant/provisioning/provisioning";
import type { Replacement } from "#shared/tenant/tenant";
import { SCHEMAS } from "../copying/configuration.ts";

type Reader = Pick<Provisioning, "own">;

/** Encrypted and sealed values have binary parts, and nothing else in a configuration has. */
const holdsBinary: Document = {
  $anyElementTrue: [
    {
      $map: {
        input: { $objectToArray: "$$ROOT" },
        as: "field",
        in: {
          $or: [
            { $eq: [{ $type: "$$field.v" }, "binData"] },
            { $and: [{ $eq: [{ $type: "$$field.v" }, "object"] }, { $eq: [{ $type: "$$field.v.text" }, "binData"] }] },
          ],
        },
      },
    },
  ],
};

/** Only texts that the organization has added can be encrypted; what can only be written is sealed. */
const secretFieldsOf = ({ api_name: object, properties }: ObjectSchema): string[] => {
  const standard = standardSchemas().find(({ api_name }) => api_name === object)?.properties ?? {};
  const added = Object.values(properties).filter(({ api_name, type }) => type === "string" && !(api_name in standard));
  return [...new Set([...added.map(({ api_name }) => api_name), ...writeOnlyFieldsOf(object)])];
};

const isBinary = (path: string): Document => ({ [path]: { $type: "binData" } });

/** Finds documents with a secret. A copy of records has the fields of its schema only; null if it has none of these. */
const secretFilterOf = (schema: ObjectSchema | undefined): Document | null => {
  if (schema === undefined) return { $expr: holdsBinary };
  const fields = secretFieldsOf(schema);
  return fields.length === 0 ? null : { $or: fields.flatMap((name) => [isBinary(name), isBinary(`${name}.text`)]) };
};

const copiedSchemas = async (
  provisioning: Reader,
  copies: readonly Replacement[],
): Promise<Map<string, ObjectSchema>> => {
  const copy = copies.find(({ to }) => to === SCHEMAS);
  if (copy === undefined) return new Map();
  const documents = await provisioning.own(copy.from, [{ $match: { _id: { $in: [...configurationKinds] } } }]);
  return new Map(documents.map((document) => [String(document._id), resolveSchema(document)]));
};

/** Raises `internal_error` if a copy has an encrypted or sealed value. */
export const refuseSecrets = async (provisioning: Reader, copies: readonly Replacement[]): Promise<void> => {
  const schemas = await copiedSchemas(provisioning, copies);
  for (const { from, to } of copies) {
    const filter = secretFilterOf(schemas.get(to));
    if (filter === null) continue;
    const [found] = await provisioning.own(from, [{ $match: filter }, { $limit: 1 }]);
    if (found === undefined) continue;
    throw new Fault("internal_error", { message: `The copy of "${to}" has an encrypted value.` });
  }
};
