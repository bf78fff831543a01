import type { connect } from "../connection/platform.ts";
import type { ObjectSchema } from "./typed.ts";

/** All objects that the caller may read, in alphabetical order. They come in parts if they are many. */
export const allSchemas = async ({ call }: Awaited<ReturnType<typeof connect>>): Promise<ObjectSchema[]> => {
  const schemas: ObjectSchema[] = [];
  for (let after: string | undefined = ""; after !== undefined; ) {
    const query = after === "" ? "" : `?${new URLSearchParams({ after })}`;
    const reply = await call({ method: "GET", path: `/v1/schema${query}`, repeatable: true });
    schemas.push(...Object.values(reply.body as Record<string, ObjectSchema>));
    after = reply.headers.get("x-truncated") === "true" ? schemas.at(-1)?.api_name : undefined;
  }
  return schemas;
};
