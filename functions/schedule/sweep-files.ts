import { sweepFiles as contract } from "#contracts/jobs";
import { sweepFiles } from "#shared/documents/documents";
import { scheduled } from "#shared/lambda/schedule/scheduled";

export const handler = scheduled(contract)(({ remaining }) => sweepFiles(remaining));
