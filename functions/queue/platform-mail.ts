import { platformMailMessage } from "#contracts/platform-messages";
import { consume } from "#shared/lambda/queue/consume";
import { deliverPlatformMail } from "#shared/platform-mail/deliver";

export const handler = consume(platformMailMessage)(({ payload }) => deliverPlatformMail(payload.mail));
