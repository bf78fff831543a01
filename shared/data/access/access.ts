/** What a caller may do with objects, fields and records. */
export {
  type Access,
  accessOf,
  actsAsAdministrator,
  readHolderOf,
  requireAccess,
  writeHolderOf,
} from "./caller-access.ts";
export { objectFieldPermissions, objectPermissions, permissionScopes } from "./permissions.ts";
export { type Operation, writeOnlyFieldsOf, writeOnlyObjects } from "./protected-objects.ts";
export {
  expressionWithoutNames,
  masksShares,
  type NamedObjects,
  type NameMask,
  namedBut,
  nameMaskOf,
  projectionWithoutNames,
  seesNamesOf,
  withoutNames,
} from "./reference-names.ts";
export {
  includesRight,
  type RecordRight,
  refersEqually,
  sharesEqually,
} from "./row-access.ts";
export { SENSITIVE_SCOPE, VALUE_MASK, type ValueMask, valueMaskOf } from "./sensitive-values.ts";
export { refuseReviving, refuseSensitiveCondition, refuseUnmasking, refuseUnmaskingChange } from "./unmasking.ts";
export { seesField, visibleSchema, visibleSchemas } from "./visible-schemas.ts";
