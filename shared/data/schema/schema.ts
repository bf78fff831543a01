/** What objects an organization has and what fields they have. Read by version, so a change counts at once. */
export { type Field, type ObjectSchema, resolveSchema } from "./document.ts";
export { fieldIndexOf, isReference } from "./field-index.ts";
export { provisionStandardObjects, standardSchemas } from "./provision.ts";
export { schemaOf, schemasOf } from "./read.ts";
export { readOnlySystemFields, systemFields } from "./system-fields.ts";
