import type { MailMessage } from "#shared/platform-mail/platform-mail";

/** The events of which the owners of an organization are told. */
export type OwnerNotice =
  | { readonly kind: "ownership_changed"; readonly gained: readonly string[]; readonly lost: readonly string[] }
  | { readonly kind: "clients_stopped"; readonly clients: readonly string[] }
  | {
      readonly kind: "billing_changed";
      readonly plan: string;
      readonly status: string;
      /** From when on nothing can be changed, unless a payment arrives. */
      readonly writes_end_at: Date | null;
    }
  | { readonly kind: "superuser_entered" };

/** Who did it, and when. */
export interface NoticeOrigin {
  readonly by: string;
  readonly at: Date;
  readonly organization_id: string;
  readonly request_id?: string;
}

const MOST_NAMES = 20;
const LONGEST = 120;

/** Users choose their names. In a mail they are one short line that mail programs do not turn into a link. */
const plain = (name: string): string =>
  name
    .replace(/[^\p{L}\p{M}\p{N}@'()_.+-]+/gu, " ")
    .trim()
    .slice(0, LONGEST);

const listed = (names: readonly string[]): string[] => {
  const shown = names.slice(0, MOST_NAMES).map((name) => `- ${plain(name)}`);
  return names.length > MOST_NAMES ? [...shown, `- and ${names.length - MOST_NAMES} more`] : shown;
};

const under = (heading: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [heading, ...listed(names)];

const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "medium", timeZone: "UTC" });

const billingContent = ({
  plan,
  status,
  writes_end_at,
}: Extract<OwnerNotice, { readonly kind: "billing_changed" }>) => {
  const state = [`Plan: ${plain(plan)}`, `Payment: ${plain(status)}`];
  if (writes_end_at === null) return { subject: "The plan or payment of your organization has changed", lines: state };
  return {
    subject: "A payment of your organization is missing",
    lines: [
      ...state,
      "",
      `Unless it arrives, nothing can be changed in the organization from ${moment.format(writes_end_at)} UTC on.`,
      "Reading stays possible, and everything is as before as soon as the payment has arrived.",
    ],
  };
};

const contentOf = (notice: OwnerNotice): { readonly subject: string; readonly lines: readonly string[] } => {
  switch (notice.kind) {
    case "ownership_changed":
      return {
        subject: "The owners of your organization have changed",
        lines: [...under("New owners:", notice.gained), ...under("Owners no longer:", notice.lost)],
      };
    case "clients_stopped":
      return {
        subject: "Apps of your organization have stopped",
        lines: [
          "The administrator who answered for these apps is not active any more, or is no administrator. They " +
            "are issued no",
          "tokens to act alone until another administrator adopts them (POST /v1/auth/client/{id}/adopt):",
          ...listed(notice.clients),
          "",
          "Whoever registered an app may still know its secret. Ask for a new one when you adopt it.",
        ],
      };
    case "billing_changed":
      return billingContent(notice);
    case "superuser_entered":
      return {
        subject: "An operator of the platform has entered your organization",
        lines: [
          "An operator of the platform has begun to work in your organization. They can see and change " +
            "everything there.",
          "You are told once for each of their sessions. Each of their requests is in the audit trail.",
        ],
      };
  }
};

/** No link and no secret, as in the notices to a person. */
export const ownerMail = (to: string, notice: OwnerNotice, circumstances: NoticeOrigin): MailMessage => {
  const { subject, lines } = contentOf(notice);
  const { by, at, organization_id, request_id } = circumstances;
  const text = [
    ...lines,
    "",
    `Organization: ${organization_id}`,
    `By: ${plain(by)}`,
    `When: ${moment.format(at)} UTC`,
    ...(request_id === undefined ? [] : [`Request: ${request_id}`]),
    "",
    "The audit trail of the organization has the details (object audit_entry). You get this mail because you own the",
    "organization, or have owned it until now. It has no link, on purpose.",
    "",
  ];
  return { to, subject, text: text.join("\n") };
};
