import { type HttpReply, http, mailsTo, type User } from "../../platform.ts";

/** What a password is reset to. */
export const nextPassword = "another quite long passphrase";

/** With the password that people of the tests have. */
export const confirm = (token: string, password = "correct horse battery staple"): Promise<HttpReply> =>
  http.post("/v1/auth/email/confirm", { body: { token, password } });

/** Answers the token that was mailed. */
export const forgot = async (email: string): Promise<string> => {
  await http.post("/v1/forgot-password", { body: { email }, expect: 202 });
  return /Your token is (tpr_\S+)/.exec(mailsTo(email).at(-1)?.text ?? "")?.[1] ?? "";
};

export const reset = (token: string): Promise<HttpReply> =>
  http.post("/v1/reset-password", { body: { token, password: nextPassword } });

export const load = async (token: string) => (await http.get("/v1/auth/load", { token, expect: 200 })).body;

/** The types of a person's entries in the audit trail. */
export const auditOf = async ({ token }: Pick<User, "token">): Promise<string[]> => {
  const { body } = await http.get("/v1/auth/audit", { token, expect: 200 });
  return body.entries.map(({ type }: { type: string }) => type);
};
