import type { Area } from "#contracts/contract";

export interface AreaText {
  readonly title: string;
  readonly description: string;
}

/** The areas of the API, in the order of the documentation. */
export const areas: Readonly<Record<Area, AreaText>> = {
  identity: {
    title: "Identity",
    description: "Registering an organization, signing in, tokens, and switching between organizations.",
  },
  "sign-in": {
    title: "Sign-in pages",
    description:
      "The pages on which people sign in and let apps act for them. They are for browsers: an app sends people " +
      "to the first page and gets them back at its redirect URI.",
  },
  schema: {
    title: "Schema",
    description: "The objects of an organization, their fields and rules.",
  },
  records: {
    title: "Records",
    description: "Creating, reading, changing and deleting records of any object, checked against its schema.",
  },
  query: {
    title: "Query",
    description: "Reading records with an SQL-like language, within the caller's access.",
  },
  automation: {
    title: "Functions and automations",
    description: "Running an organization's own Python and its automations, and reading how their executions went.",
  },
  "email-services": {
    title: "Email",
    description:
      "Sending email from templates, following it to its end, and receiving what vendors send back: events and mail.",
  },
  notifications: {
    title: "Notifications",
    description:
      "Telling users of an organization something: in the app, on their devices, by email and by text message.",
  },
  documents: {
    title: "Documents",
    description: "Files of an organization: uploads, downloads and attachments.",
  },
  billing: {
    title: "Billing",
    description: "Usage of vendors that organizations pay for, and what the payment vendor says about them.",
  },
  public: {
    title: "Public",
    description: "What anyone may use without signing in, because an organization has published it.",
  },
  sandbox: {
    title: "Sandboxes",
    description:
      "Isolated copies of an organization's configuration: creating, refreshing, comparing and deleting them, letting users " +
      "in, and deploying apps from them.",
  },
  status: {
    title: "Status",
    description: "The presence of people, from the heartbeats of their devices and from their own settings.",
  },
  platform: {
    title: "Platform",
    description: "The health of the platform, and the descriptions of this API.",
  },
};
