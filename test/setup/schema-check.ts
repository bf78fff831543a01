import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";

interface MediaObject {
  schema?: object;
}

interface OpenapiDocument {
  paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, MediaObject> }> }>>;
  components: Record<string, unknown>;
}

export interface CheckedReply {
  method: string;
  path: string;
  status: number;
  contentType: string;
  body: unknown;
}

/** Validates every reply against the OpenAPI document of the same platform. */
export const replyChecker = (document: OpenapiDocument) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ $id: "https://tenantry.test/openapi", components: document.components });
  const validators = new Map<string, ValidateFunction>();
  const paths = Object.keys(document.paths)
    .map((template) => ({
      template,
      pattern: new RegExp(`^${template.replace(/\./g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`),
      parameters: template.split("{").length,
    }))
    .sort((a, b) => a.parameters - b.parameters);

  const validatorOf = (key: string, schema: object): ValidateFunction => {
    const known = validators.get(key);
    if (known !== undefined) return known;
    const text = JSON.stringify(schema).replaceAll('"#/components', '"https://tenantry.test/openapi#/components');
    const compiled = ajv.compile(JSON.parse(text));
    validators.set(key, compiled);
    return compiled;
  };

  /** What is invalid in a reply, or nothing. */
  return (reply: CheckedReply): string | undefined => {
    const path = paths.find(({ pattern }) => pattern.test(reply.path));
    const operation = path && document.paths[path.template]?.[reply.method.toLowerCase()];
    if (!path || !operation) return reply.status === 404 || reply.status === 405 ? undefined : "no such operation";
    const declared = operation.responses[String(reply.status)];
    if (declared === undefined) return `the status ${reply.status} is not declared`;
    if (declared.content === undefined) return reply.body === undefined ? undefined : "a body where none is declared";
    const type = Object.keys(declared.content).find((known) => known.split(";")[0] === reply.contentType.split(";")[0]);
    if (type === undefined) return `the content type ${reply.contentType} is not declared`;
    const schema = declared.content[type]?.schema;
    if (schema === undefined || !type.startsWith("application/json")) return undefined;
    const validate = validatorOf(`${reply.method} ${path.template} ${reply.status}`, schema);
    return validate(reply.body) ? undefined : ajv.errorsText(validate.errors);
  };
};
