import { routes } from "#contracts/routes";
import { unknownRoute } from "#shared/http/unknown-route";

export const handler = unknownRoute(routes);
