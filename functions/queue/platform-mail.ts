import { platformMailMessage } from "#contracts/platform-messages";
import { consume } from "#shared/lambda/queue/consume";
import { deliverPlatformMail } from "#shared/platform-mail/platform-mail";

export const handler = consume(platformMailMessage)(({ payload }) => deliverPlatformMail(payload.mail));
