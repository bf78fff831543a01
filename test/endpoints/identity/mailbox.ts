import { type HttpReply, http, mailsTo, type User } from "../../platform.ts";

/** The new password of a reset. */
export const nextPassword = "another quite long passphrase";

/** With the default password of the tests. */
export const confirm = (token: string, password = "correct horse battery staple"): Promise<HttpReply> =>
  http.post("/v1/auth/email/confirm", { body: { token, password } });

/** The last token that was mailed. */
export const resetTokenOf = async (email: string): Promise<string> =>
  (await mailsTo(email))
    .map(({ text }) => /Your token is (tpr_\S+)/.exec(text)?.[1])
    .findLast((token) => token !== undefined) ?? "";

/** Gives the mailed token. */
export const forgot = async (email: string): Promise<string> => {
  await http.post("/v1/forgot-password", { body: { email }, expect: 202 });
  return resetTokenOf(email);
};

export const reset = (token: string, password = nextPassword): Promise<HttpReply> =>
  http.post("/v1/reset-password", { body: { token, password } });

export const load = async (token: string) => (await http.get("/v1/auth/load", { token, expect: 200 })).body;

/** The types of a person's security events. */
export const auditOf = async ({ token }: Pick<User, "token">): Promise<string[]> => {
  const { body } = await http.get("/v1/auth/audit", { token, expect: 200 });
  return body.entries.map(({ type }: { type: string }) => type);
};
