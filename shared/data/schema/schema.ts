/**
 * The objects and fields of an organization. Cached by the schema version, so a change counts from the next request on.
 */

export { buildIndexesOf, isWithoutRecords, settleIndexes, unsettledIndexes } from "./build-indexes.ts";
export { changeSchema } from "./change.ts";
export { completeListChange } from "./change-value-lists.ts";
export { usesField } from "./dependents.ts";
export { isEncryptedValue } from "./encryption/encrypted-value.ts";
export { fieldIndexOf, isReference } from "./field-index.ts";
export { apiNameOf, createField, deleteField, updateField } from "./fields.ts";
export { ensureFirstIndexes } from "./first-indexes.ts";
export { generateSchemas } from "./generate.ts";
export { fieldOfUniqueIndex, indexPlanOf } from "./index-plan.ts";
export { addStandardModel, missingStandardModel } from "./missing-model.ts";
export {
  type Field,
  hasRules,
  type ObjectSchema,
  type RuleOperation,
  resolveSchema,
  type ValidationRule,
} from "./object-schema.ts";
export { createSchema, deleteSchema, isReservedName, updateSchema } from "./objects.ts";
export { makeFunctionOptional, requiresFunction } from "./optional-fields.ts";
export { hasOwners, type OwnedObject } from "./ownership.ts";
export { requireSchema, schemaOf, schemasOf } from "./read.ts";
export { listSensitiveNames, unlistedSensitiveNames } from "./sensitive-names.ts";
export { provisionStandardObjects, standardSchemas } from "./standard/standard-objects.ts";
export { readOnlySystemFields, systemFields } from "./system-fields.ts";
export { VALUE_LIST_OBJECT } from "./value-lists.ts";
export { fieldValue } from "./values/field-value.ts";
export {
  addIssue,
  fail,
  newValidationReport,
  type PendingChoice,
  type PendingReference,
  shortKey,
  type ValidationContext,
  type ValidationReport,
  within,
} from "./values/validation.ts";
