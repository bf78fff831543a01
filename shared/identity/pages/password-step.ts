import * as z from "zod";
import { password, username } from "#contracts/identity-bodies";
import { Fault } from "#shared/foundation/faults";
import { browserSession, signIn } from "../identity.ts";
import { clearCookie, writeCookie } from "./cookies.ts";
import { refusalOf } from "./refusals.ts";
import { onwards, shown } from "./replies.ts";
import { signedInCookies, takeStep } from "./steps.ts";
import { passwordView } from "./views/password-view.ts";
import type { Step } from "./visit.ts";

const credentials = z.object({ username, password });

type PasswordStep = Step<{ readonly username: string; readonly password: string }>;

/** The cookies after the password was right. */
const cookiesAfter = async ({ body, request }: PasswordStep): Promise<string[]> => {
  const typed = credentials.safeParse(body);
  if (!typed.success) throw new Fault("invalid_credentials");
  const { username: email, password } = typed.data;
  const result = await signIn({ email, password, ...request.device }, browserSession);
  if ("cookie" in result) return signedInCookies(result.cookie);
  return [writeCookie("waiting", result.session_id), clearCookie("session")];
};

/** Email and password. Leads on to the second factor or to the decision. Raises faults that are not about the input. */
export const passwordStep = (step: PasswordStep) =>
  takeStep(step, async ({ asked, next, guard }) => {
    try {
      return onwards(next, await cookiesAfter(step));
    } catch (error) {
      const { status, message: problem, headers } = refusalOf(error, ["invalid_credentials", "not_a_member"]);
      const typed = { username: step.body.username.slice(0, 254), mistyped: status === 422 };
      const page = passwordView({ asked, query: step.query, token: guard.token, problem, ...typed });
      return shown(status, page, { cookies: guard.cookies, headers });
    }
  });
