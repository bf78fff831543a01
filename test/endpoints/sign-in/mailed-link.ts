import assert from "node:assert/strict";
import { mailsTo, platformUrl } from "../../platform.ts";

/** The target of the link in the last mail. */
export const mailedLink = async (email: string, page: "confirm-email" | "reset-password"): Promise<string> => {
  const words = ((await mailsTo(email)).at(-1)?.text ?? "").split(/\s/);
  const link = words.find((word) => word.startsWith(`${platformUrl}/v1/sign-in/${page}`));
  assert(link, `${email} was mailed no link to ${page}`);
  return link.slice(platformUrl.length);
};
