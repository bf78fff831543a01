import { type Contract, requiresToken, scopeOf } from "#contracts/contract";
import { routes } from "#contracts/routes";
import { areas } from "./areas.ts";
import type { OpenapiDocument, Operation, SecurityScheme } from "./document.ts";
import { introduction } from "./introduction.ts";
import { parametersOf, requestBodyOf } from "./request.ts";
import { responsesOf } from "./responses.ts";
import { type Components, components } from "./schemas.ts";

export type { OpenapiDocument } from "./document.ts";
export { type ReferencePage, referencePage } from "./reference-page.ts";
export { scriptFile } from "./script-file.ts";

export interface OpenapiOptions {
  readonly version: string;
  /** The public base URL without a trailing slash. */
  readonly server: string;
  /** The platform's own by default. */
  readonly contracts?: readonly Contract[];
}

/** OpenAPI cannot describe a token in the body. The header is one of two ways, so it is optional. */
const securityOf = (contract: Contract): Operation["security"] => {
  if (!requiresToken(contract)) return [];
  const app = contract.refusesApps ? [] : [{ oauth2: [scopeOf(contract)] }];
  return [{ bearer: [] }, ...app, ...(contract.access === "beacon" ? [{}] : [])];
};

const descriptionOf = ({ description, refusesApps }: Contract): string | undefined =>
  [description, ...(refusesApps ? [NO_APPS] : [])].filter((part) => part !== undefined).join("\n\n") || undefined;

const NO_APPS = "Apps may not call this route: it needs the token of a person who signed in themselves.";

const operationOf = (contract: Contract, known: Components): Operation => {
  const parameters = parametersOf(contract, known);
  const requestBody = requestBodyOf(contract, known);
  const description = descriptionOf(contract);
  return {
    operationId: contract.operation,
    tags: [areas[contract.area].title],
    summary: contract.summary,
    ...(description ? { description } : {}),
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

const BEARER: SecurityScheme = {
  type: "http",
  scheme: "bearer",
  bearerFormat: "JWT",
  description: "An access token from `POST /v1/oauth2/login` or another route that gives a token.",
};

/** Apps, including the reference page. That page reads `x-usePkce`: https://scalar.com */
const oauth2 = (server: string): SecurityScheme => ({
  type: "oauth2",
  description: "An app that acts for a person: authorization code with PKCE (S256).",
  flows: {
    authorizationCode: {
      authorizationUrl: `${server}/v1/oauth2/authorize`,
      tokenUrl: `${server}/v1/oauth2/token`,
      refreshUrl: `${server}/v1/oauth2/token`,
      scopes: SCOPES,
      "x-usePkce": "SHA-256",
    },
  },
});

const SCOPES = {
  read: "Read what the person may read.",
  write: "Change what the person may change.",
  admin: "What only administrators may do.",
  "sensitive:read": "See the values of sensitive fields, if the person may.",
  all: "All of these.",
};

/** The API as an OpenAPI 3.1 document, from the contracts alone. */
export const openapiDocument = ({ version, server, contracts = routes }: OpenapiOptions): OpenapiDocument => {
  const known = components();
  // Routes of the platform's own parts are not for callers of the API.
  const shown = contracts.filter(({ access }) => access !== "capability");
  const { document: paths, schemas } = known.settle(pathsOf(shown, known));
  const used = new Set(shown.map(({ area }) => area as string));
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
    components: {
      schemas,
      securitySchemes: contracts.some(requiresToken) ? { bearer: BEARER, oauth2: oauth2(server) } : {},
    },
  };
};
