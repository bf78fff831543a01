import { Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Aws } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import type { Settings } from "../stacks/settings.ts";
import type { Needs } from "./needs.ts";
import { configurationSetArn } from "./ses-events.ts";
import { sharedValue } from "./shared-value.ts";

/** The queue of the platform's own mails. */
export const MAIL_QUEUE = "platform-mail";

/** The encryption context of the data keys of their contents. */
const conditions = { StringEquals: { "kms:EncryptionContext:purpose": MAIL_QUEUE } };

/** The SES identity of the sender's domain. */
const identityArn = ({ mailSender }: Settings): string =>
  `arn:${Aws.PARTITION}:ses:${Aws.REGION}:${Aws.ACCOUNT_ID}:identity/${mailSender.slice(mailSender.indexOf("@") + 1)}`;

/** Functions that queue mails seal them, and cannot read them again. The worker opens and sends them. */
export const mailPermissions = (scope: Construct, settings: Settings, needs: Needs): PolicyStatement[] => {
  const allow = (
    action: string,
    resource: string | string[],
    rest: { readonly conditions?: Record<string, unknown> } = {},
  ) => new PolicyStatement({ effect: Effect.ALLOW, actions: [action], resources: [resource].flat(), ...rest });
  // SES checks the configuration set too, for composed mails, which name it.
  const sends = needs.mailsRaw ? [identityArn(settings), configurationSetArn(settings)] : identityArn(settings);
  const key = () => sharedValue(scope, settings.stage, "data-key-arn");
  return [
    ...(needs.mails ? [allow("kms:GenerateDataKey", key(), { conditions })] : []),
    ...(needs.opensMails ? [allow("kms:Decrypt", key(), { conditions })] : []),
    ...(needs.sendsMail ? [allow("ses:SendEmail", sends)] : []),
    ...(needs.mailsRaw ? [allow("ses:SendRawEmail", sends)] : []),
  ];
};
