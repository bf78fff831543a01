/** `application/x-ndjson;q=0.9, application/json` as media type → weight (RFC 9110 §12.5.1). */
const weights = (accept: string): Map<string, number> =>
  new Map(
    accept.split(",").map((range) => {
      const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith("q="));
      return [type, weight === undefined ? 1 : Number(weight.slice(2)) || 0];
    }),
  );

/** Whether an Accept header names the type with a higher weight than JSON. With wildcards the reply is JSON. */
export const prefers = (accept: string, type: string): boolean => {
  const wanted = weights(accept);
  const weight = wanted.get(type) ?? 0;
  return weight > 0 && weight > (wanted.get("application/json") ?? 0);
};
