import { type Contract, requiresToken } from "#contracts/contract";
import { routes } from "#contracts/routes";
import { areas } from "./areas.ts";
import type { OpenapiDocument, Operation } from "./document.ts";
import { introduction } from "./introduction.ts";
import { parametersOf, requestBodyOf } from "./request.ts";
import { responsesOf } from "./responses.ts";
import { type Components, components } from "./schemas.ts";

export type { OpenapiDocument } from "./document.ts";
export { type ReferencePage, referencePage } from "./page/page.ts";

export interface OpenapiOptions {
  readonly version: string;
  /** The public base URL without a trailing slash. */
  readonly server: string;
  /** The platform's own unless said otherwise. */
  readonly contracts?: readonly Contract[];
}

/** OpenAPI has no word for a token in the body: there the header is one of two ways, so it is optional. */
const securityOf = (contract: Contract): Operation["security"] => {
  if (!requiresToken(contract)) return [];
  return contract.access === "beacon" ? [{ bearer: [] }, {}] : [{ bearer: [] }];
};

const operationOf = (contract: Contract, known: Components): Operation => {
  const parameters = parametersOf(contract, known);
  const requestBody = requestBodyOf(contract, known);
  return {
    operationId: contract.operation,
    tags: [areas[contract.area].title],
    summary: contract.summary,
    ...(contract.description ? { description: contract.description } : {}),
    security: securityOf(contract),
    "x-access": contract.access,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody ? { requestBody } : {}),
    responses: responsesOf(contract, known),
  };
};

const pathsOf = (contracts: readonly Contract[], known: Components): Record<string, Record<string, Operation>> => {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const contract of contracts) {
    const operations = paths[contract.path] ?? {};
    operations[contract.method.toLowerCase()] = operationOf(contract, known);
    paths[contract.path] = operations;
  }
  return paths;
};

const BEARER = {
  type: "http",
  scheme: "bearer",
  bearerFormat: "JWT",
  description: "An access token from `POST /v1/oauth2/login` or one of the other routes that answer a token.",
};

/** The API as an OpenAPI 3.1 document, from the contracts alone: the same contracts give the same document. */
export const openapiDocument = ({ version, server, contracts = routes }: OpenapiOptions): OpenapiDocument => {
  const known = components();
  const { document: paths, schemas } = known.settle(pathsOf(contracts, known));
  const used = new Set(contracts.map(({ area }) => area as string));
  return {
    openapi: "3.1.1",
    info: {
      title: "Tenantry",
      version,
      summary: "A multi-tenant business-data platform.",
      description: introduction,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: server, description: "This deployment." }],
    tags: Object.entries(areas)
      .filter(([area]) => used.has(area))
      .map(([, { title, description }]) => ({ name: title, description })),
    paths,
    components: { schemas, securitySchemes: contracts.some(requiresToken) ? { bearer: BEARER } : {} },
  };
};
