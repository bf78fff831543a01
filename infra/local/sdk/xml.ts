import type { SdkAnswer } from "../service.ts";
import type { ServiceError } from "./call.ts";

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export const xmlText = (text: string): string => text.replace(/[&<>"]/g, (one) => escapes[one] ?? one);

export const xmlDocument = (content: string): string => `<?xml version="1.0" encoding="UTF-8"?>\n${content}`;

/** The names of S3 for errors that all services have. */
const names: Readonly<Record<string, string>> = {
  AccessDeniedException: "AccessDenied",
  IncompleteSignatureException: "AuthorizationHeaderMalformed",
  InternalFailure: "InternalError",
  InvalidSignatureException: "SignatureDoesNotMatch",
  MissingAuthenticationTokenException: "AccessDenied",
  RequestEntityTooLargeException: "EntityTooLarge",
  UnrecognizedClientException: "InvalidAccessKeyId",
};

/** An error in the shape of S3. */
export const xmlError = ({ code, message, status }: ServiceError, requestId: string): SdkAnswer => ({
  status,
  headers: { "content-type": "application/xml" },
  body: xmlDocument(
    `<Error><Code>${xmlText(names[code] ?? code)}</Code><Message>${xmlText(message)}</Message>` +
      `<RequestId>${requestId}</RequestId></Error>`,
  ),
});
