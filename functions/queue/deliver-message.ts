import { deliverMessage } from "#contracts/message-delivery";
import { consume } from "#shared/lambda/queue/consume";
import { deliver } from "#shared/messaging/delivery/deliver";

export const handler = consume(deliverMessage)(({ payload, database }) => deliver(database, payload));
