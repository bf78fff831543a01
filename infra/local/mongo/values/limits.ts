import { MongoFault } from "../foundation/fault.ts";

export const maxDocumentSize = 16 * 1024 * 1024;

export function tooLarge(size: number): MongoFault {
  return new MongoFault(
    "BSONObjectTooLarge",
    `BSONObj size: ${size} is invalid. Size must be between 0 and ${maxDocumentSize}(16MB)`,
  );
}

export const tooDeep = (): MongoFault => new MongoFault("Overflow", "BSONObj exceeds maximum nested object depth: 200");
