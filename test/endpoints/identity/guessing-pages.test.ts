import { beforeAll, expect, it } from "vitest";
import { createUser } from "../../platform.ts";
import { type AskingApp, askingApp, enterPassword } from "../sign-in/app.ts";
import { Browser } from "../sign-in/browser.ts";
import { beginMany } from "./guesser.ts";
import { mongo, owner, useOwner } from "./owner.ts";
import { begin, mailedCode, type Person, verify, wrongCode } from "./second-factors.ts";

useOwner();

let app: AskingApp;
beforeAll(async () => {
  app = await askingApp(owner);
});

const TRIES = 5;

/** Sends wrong codes on the page until the sign-in allows no more. Gives the page's message. */
const guessOnPage = async (person: Person): Promise<(string | undefined)[]> => {
  const browser = new Browser();
  let page = await enterPassword(browser, person, app.request());
  const wrong = wrongCode(await mailedCode(person));
  const alerts: (string | undefined)[] = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    page = await browser.submit(page, "code", { code: wrong });
    alerts.push(page.alert);
  }
  return alerts;
};

it("wrong codes on the sign-in page and of other clients count together, thirty an hour", async () => {
  const person = await createUser(owner.organizationId, { twoFactor: "email" });
  const identity = await mongo.db("base").collection<{ _id: string }>("user").findOne({ email: person.email });
  const requests = mongo.db("base").collection("login_request");
  const letTenMinutesPass = () =>
    requests.updateMany({ user_id: identity?._id }, { $set: { expires_at: new Date(Date.now() - 1) } });

  const waiting = await beginMany(person, 4);
  const wrong = wrongCode(await mailedCode(person));
  const guesses = waiting.flatMap(({ session_id }) =>
    Array.from({ length: TRIES }, () => verify(person, wrong, session_id)),
  );
  const replies = await Promise.all(guesses);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401]));
  const told = await guessOnPage(person);
  await letTenMinutesPass();
  told.push(...(await guessOnPage(person)));
  expect(new Set(told)).toEqual(new Set(["The code is wrong or has expired."]));

  // That was thirty. Now the right code is refused by both.
  const { session_id } = await begin(person);
  expect((await verify(person, await mailedCode(person), session_id)).status).toBe(429);
  const browser = new Browser();
  const page = await enterPassword(browser, person, app.request());
  expect((await browser.submit(page, "code", { code: await mailedCode(person) })).status).toBe(429);
  expect(browser.cookies.has("tenantry-session")).toBe(false);
  const refused = { user_id: identity?._id, type: "second_factor_refused" };
  expect(await mongo.db("base").collection("audit").countDocuments(refused)).toBe(30);
});
