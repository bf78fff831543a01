import * as z from "zod";

/** In whose name something is done later. Stored with it, and shown to nobody. */
export const actor = z.object({
  user_id: z.string(),
  client_id: z.string().nullable().describe("The app that acts for the user, if one does."),
  scope: z.string().describe("Of the app, separated by blanks; `all` for a person."),
  responsible: z.string().nullable().describe("The responsible administrator of an app that acts alone."),
});

export type Actor = Readonly<z.output<typeof actor>>;
