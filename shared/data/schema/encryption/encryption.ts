/** Encrypted fields: one data key for each organization, and ciphers for each field. Loaded when they are needed. */
export { type FieldCipher, fieldCipher } from "./field-cipher.ts";
export { type DataKey, dataKeyOf, requireDataKey } from "./organization-key.ts";
