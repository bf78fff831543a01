import type { Area } from "#contracts/contract";

export interface AreaText {
  readonly title: string;
  readonly description: string;
}

/** The areas of the API in the order in which a newcomer meets them. */
export const areas: Readonly<Record<Area, AreaText>> = {
  identity: {
    title: "Identity",
    description:
      "Registering an organization, signing in, tokens, and moving between the organizations one belongs to.",
  },
  "sign-in": {
    title: "Sign-in pages",
    description:
      "The pages on which people sign in and let apps act for them. They are for browsers: apps send people to the " +
      "first of them and get them back at their redirect URI.",
  },
  schema: {
    title: "Schema",
    description: "The objects of an organization, their fields and rules: what records may look like.",
  },
  records: {
    title: "Records",
    description: "Creating, reading, changing and deleting records of any object, checked against its schema.",
  },
  query: {
    title: "Query",
    description: "Asking for records in an SQL-like language, within what the caller may see.",
  },
  status: {
    title: "Status",
    description: "Who is there: the presence of people by their devices' heartbeats, and what they have set by hand.",
  },
  platform: {
    title: "Platform",
    description: "The health of the platform, and the descriptions of this API.",
  },
};
