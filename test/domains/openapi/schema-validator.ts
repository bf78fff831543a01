import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { OpenapiDocument } from "#shared/openapi/openapi";

const PLATFORM = "https://tenantry.test/openapi";

/** What is invalid in a value by a schema of the document, or nothing. */
export const schemaValidator = (document: OpenapiDocument) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ $id: PLATFORM, components: document.components });
  return (schema: object, value: unknown): string | undefined => {
    const text = JSON.stringify(schema).replaceAll('"#/components', `"${PLATFORM}#/components`);
    const validate = ajv.compile(JSON.parse(text));
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };
};
