import { sesEventMessage } from "#contracts/webhook-messages";
import { receive } from "#shared/lambda/queue/receive";
import { receiveSesEvent } from "#shared/messaging/webhooks/receive-ses-event";

export const handler = receive(sesEventMessage)(({ payload, text }) =>
  receiveSesEvent(payload.mail.tags.tenantry_organization?.[0], text),
);
