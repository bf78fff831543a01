import { routes } from "#contracts/routes";
import { unknownRoute } from "#shared/lambda/http/unknown-route";

export const handler = unknownRoute(routes);
