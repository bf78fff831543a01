import { type Contract, pathParameters } from "#contracts/contract";
import type { JsonSchema, Operation, Parameter } from "./document.ts";
import type { Components } from "./schemas.ts";

/** The schema's description moves to the parameter. */
const parameter = (place: Parameter["in"], name: string, required: boolean, schema: JsonSchema): Parameter => {
  const { description, ...rest } = schema;
  return { name, in: place, required, ...(description ? { description } : {}), schema: rest };
};

const IDEMPOTENCY_KEY: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Makes the request safe to repeat: within 24 hours the same key and body of the same caller take effect once. " +
    "A repetition is authorized again and marked `Idempotency-Replayed: true`. It gives the records as they are now; " +
    "a deleted one has its `id` alone. The same key with another body is refused.",
  schema: { type: "string", minLength: 1, maxLength: 255, examples: ["0f8fad5b-d9cb-469f-a165-70867728950e"] },
};

/** OpenAPI describes these elsewhere. */
const OWN_PLACE = new Set(["authorization", "content-type", "accept", "idempotency-key"]);

export const parametersOf = (contract: Contract, { describe }: Components): Parameter[] => {
  const { path, query, headers } = contract.request;
  const pathSchema = path ? describe(path, "input") : {};
  const parameters = pathParameters(contract).map((name) =>
    parameter("path", name, true, pathSchema.properties?.[name] ?? { type: "string" }),
  );
  for (const [place, schema] of [
    ["query", query],
    ["header", headers],
  ] as const) {
    if (schema === undefined) continue;
    const { properties = {}, required = [] } = describe(schema, "input");
    for (const [name, property] of Object.entries(properties)) {
      if (place === "header" && OWN_PLACE.has(name.toLowerCase())) continue;
      parameters.push(parameter(place, name, required.includes(name), property));
    }
  }
  if (contract.idempotent) parameters.push(IDEMPOTENCY_KEY);
  return parameters;
};

export const requestBodyOf = (contract: Contract, { describe }: Components): Operation["requestBody"] => {
  const { body, bodyTypes = ["application/json"], rawBody } = contract.request;
  if (rawBody !== undefined) {
    const bytes = (description: string) => ({ schema: { type: "string", format: "binary", description } });
    const media = Object.entries(rawBody).map(([type, text]) => [type === "*" ? "*/*" : type, bytes(text)]);
    return { required: true, content: Object.fromEntries(media) };
  }
  if (body === undefined) return undefined;
  const schema = describe(body, "input");
  return {
    required: !body.safeParse(undefined).success,
    content: Object.fromEntries(bodyTypes.map((type) => [type, { schema }])),
  };
};
