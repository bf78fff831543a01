import { removeFiles as contract } from "#contracts/document-files";
import { removeFiles } from "#shared/documents/documents";
import { consume } from "#shared/lambda/queue/consume";

export const handler = consume(contract)(({ payload, database }) => removeFiles(database, payload.documents));
