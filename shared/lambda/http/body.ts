import type middy from "@middy/core";
import httpJsonBodyParser from "@middy/http-json-body-parser";
import httpUrlencodeBodyParser from "@middy/http-urlencode-body-parser";
import type { BodyType, Contract } from "#contracts/contract";
import { Fault } from "#shared/foundation/faults";
import { bodyBytes, bytesOf, type HttpEvent, mediaType } from "./request.ts";

const DEFAULT_BODY_BYTES = 1024 * 1024;

type Parser = (request: middy.Request<HttpEvent>) => unknown;

const parserOf = (type: BodyType): Parser => {
  const { before } = type === "application/json" ? httpJsonBodyParser() : httpUrlencodeBodyParser();
  // Each middleware is typed for one event shape. Those used here read only headers and body, which all shapes share.
  return before as unknown as Parser;
};

const refuseLarge = (event: HttpEvent, limit: number): void => {
  if (bodyBytes(event) <= limit) return;
  throw new Fault("body_too_large", { message: `The body may have at most ${limit} bytes.` });
};

/** The position of a JSON syntax error. V8 gives none for text that ends too early. */
const malformed = (text: string): Fault => {
  let reason = "the text ends too early";
  let position = text.length;
  try {
    JSON.parse(text);
    const key = text.search(/"(?:__proto__|constructor)"/);
    reason = key < 0 ? "it nests too deeply" : 'a "__proto__" or "constructor" key is not allowed';
    position = Math.max(key, 0);
  } catch (error) {
    const found = /^(.*?)(?: in JSON)? at position (\d+)/.exec(error instanceof Error ? error.message : "");
    if (found?.[1] !== undefined) {
      reason = found[1];
      position = Number(found[2]);
    }
  }
  return new Fault("validation_failed", {
    issues: [
      {
        loc: ["body", position],
        msg: `The body is not valid JSON: ${reason} (position ${position}).`,
        type: "json_invalid",
        ctx: { position },
      },
    ],
  });
};

/**
 * Refuses a wrong type (415) and a large body (413), then parses the body. A missing body stays undefined, because the
 * contract decides about it.
 */
export const parsedBody = (contract: Contract): middy.MiddlewareObj<HttpEvent> => {
  const types = contract.request.bodyTypes ?? ["application/json"];
  const parsers = new Map(types.map((type) => [type as string, parserOf(type)]));
  const limit = contract.request.maxBodyBytes ?? DEFAULT_BODY_BYTES;
  return {
    before: (request) => {
      const { event } = request;
      const type = mediaType(event);
      const empty = event.body === undefined || event.body === "";
      if (empty && type === "") {
        delete event.body;
        return;
      }
      const parser = parsers.get(type);
      if (parser === undefined) {
        throw new Fault("unsupported_media_type", { message: `Send the body as ${types.join(" or ")}.` });
      }
      refuseLarge(event, limit);
      const text = bytesOf(event).toString("utf8");
      try {
        parser(request);
      } catch {
        throw malformed(text);
      }
    },
  };
};

/** Refuses a wrong type (415) and a large body (413). The handler gets the bytes, and decides about an empty body. */
export const checkedRawBody = (contract: Contract): middy.MiddlewareObj<HttpEvent> => {
  const types = Object.keys(contract.request.rawBody ?? {});
  const limit = contract.request.maxBodyBytes ?? DEFAULT_BODY_BYTES;
  return {
    before: ({ event }) => {
      if (!types.includes("*") && !types.includes(mediaType(event))) {
        throw new Fault("unsupported_media_type", { message: `Send the body as ${types.join(" or ")}.` });
      }
      refuseLarge(event, limit);
    },
  };
};
