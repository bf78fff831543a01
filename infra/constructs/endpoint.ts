import { Construct } from "constructs";
import { type Contract, handlerPath, type RouteAccess } from "#contracts/contract";
import type { Bundles } from "../bundle.ts";
import type { Settings } from "../stacks/settings.ts";
import { HandlerFunction } from "./handler-function.ts";
import { type Needs, needsOf } from "./needs.ts";
import { Route } from "./route.ts";
import { sharedValue } from "./shared-value.ts";

export interface EndpointProps {
  readonly settings: Settings;
  readonly bundles: Bundles;
  readonly contract: Contract;
  /** What the handler needs besides what its access implies. */
  readonly needs?: Needs;
}

const bearer = "The function itself verifies the bearer token and the session behind it before anything else happens.";

const openBecause: Record<RouteAccess, string> = {
  public: "The contract declares the route public: it is called before there is a token, or shows nothing private.",
  signature: "The function itself verifies the sender's signature over the raw body.",
  capability: "The function itself verifies the single-purpose token in the request.",
  user: bearer,
  beacon: bearer,
  admin: bearer,
  superuser: bearer,
};

/** Everything for one contract: function, role, log group, alarm, integration, route and permission. */
export class Endpoint extends Construct {
  constructor(scope: Construct, id: string, { settings, bundles, contract, needs }: EndpointProps) {
    super(scope, id);
    const { method, path, operation, access } = contract;
    const handler = new HandlerFunction(this, "Handler", {
      settings,
      bundles,
      handler: handlerPath(contract),
      name: kebab(operation),
      description: `${method} ${path}: ${contract.summary}`.slice(0, 256),
      needs: needsOf(contract, needs),
      impact: `callers of ${method} ${path} (${operation}) get a 500 or a timeout again and again.`,
    });
    new Route(this, "Http", {
      apiId: sharedValue(this, settings.stage, "api-id"),
      function: handler.function,
      key: `${method} ${path}`,
      openBecause: openBecause[access],
    });
  }
}

const kebab = (operation: string): string => operation.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
