import { Command } from "commander";
import { isNotMember, within } from "../connection/access.ts";
import { browserSignIn } from "../connection/browser-sign-in.ts";
import { changeStore, type Place, withProfile } from "../connection/credentials.ts";
import { labelOf, load, placeIn } from "../connection/places.ts";
import { connect } from "../connection/platform.ts";
import { signIn } from "../connection/sign-in.ts";
import { type ConnectionOptions, parentTargetOf, type Target } from "../connection/target.ts";
import { CLIENT_ID, emailOf, freshToken, organizationOf, type Token } from "../connection/tokens.ts";
import { Failure } from "../failure.ts";
import { withConnection, withExamples } from "../options.ts";
import { askSecret, askText } from "../terminal/prompt.ts";
import { canAsk, done, remark, say, warn } from "../terminal/terminal.ts";

interface LoginOptions extends ConnectionOptions {
  readonly email?: string;
  readonly code?: string;
  readonly password?: true;
  readonly allowHttp?: true;
}

const NEAR = ["localhost", "127.0.0.1", "[::1]"];

const refuseOpenAir = ({ url }: Target, allowed: boolean): void => {
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:" || NEAR.includes(hostname) || allowed) return;
  throw new Failure("usage", `Your password would travel to ${url} in the clear.`, {
    hint: "Use the https:// address, or --allow-http in a network that you trust.",
  });
};

/** Prompted for on a terminal; in a script the first piped line. */
const readPassword = async (url: string): Promise<string> => {
  if (process.stdin.isTTY) return askSecret({ message: `Password for ${url}`, otherwise: "Pipe the password in." });
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) text += chunk;
  const [password = ""] = text.split(/\r?\n/);
  if (password !== "") return password;
  throw new Failure("usage", "There is no password.", {
    hint: "Pipe it in: tenantry login --password --email you@example.com < password.txt",
  });
};

interface SignedIn {
  readonly token: Token;
  readonly email: string | undefined;
  readonly client_id?: string;
}

const save = async (target: Target, { token, email, client_id }: SignedIn): Promise<Place | undefined> => {
  const organization = organizationOf(token.access_token) ?? "";
  const loaded = await load(target, token.access_token);
  const place = loaded && placeIn(loaded);
  const profile = {
    url: target.url,
    email,
    organization,
    client_id,
    refresh_token: token.refresh_token,
    access_tokens: { [organization]: token.access_token },
    ...(place && { places: { [place.id]: place } }),
  };
  await changeStore((store) => ({ ...withProfile(store, target.name, profile), current: target.name }));
  return place;
};

/**
 * A sign-in begins where the person last was, also in a sandbox. The profile's organization is its parent then, so that
 * no command works in a sandbox that nobody named. Those who are no users of the parent stay.
 */
const preferParent = async (target: Target, place: Place | undefined): Promise<void> => {
  if (place?.sandbox === undefined) return;
  const { parent } = place.sandbox;
  try {
    await freshToken(within(target, parent));
  } catch (error) {
    if (isNotMember(error)) return warn(`You are no user of ${parent}: commands work in ${labelOf(place)}.`);
    throw error;
  }
  await changeStore((store) => {
    const profile = store.profiles[target.name];
    return profile ? withProfile(store, target.name, { ...profile, organization: parent }) : store;
  });
};

const withPassword = async (target: Target, options: LoginOptions): Promise<SignedIn> => {
  refuseOpenAir(target, options.allowHttp === true);
  const email =
    options.email ??
    (await askText(
      {
        message: `Email for ${target.url}`,
        otherwise: "Name yourself: tenantry login --password --email you@example.com",
      },
      { initial: target.profile?.email },
    ));
  return { token: await signIn(target.url, email, await readPassword(target.url), options.code), email };
};

/** In the browser on a terminal, else with a password. */
const signInSomehow = async (target: Target, options: LoginOptions): Promise<SignedIn> => {
  const wantsPassword = options.password === true || options.email !== undefined || !canAsk();
  if (wantsPassword) return withPassword(target, options);
  const token = await browserSignIn(target.url);
  return { token, email: emailOf(token.access_token), client_id: CLIENT_ID };
};

/** Tells where commands work, if a sandbox is named. They stop until it is one that can be used. */
const trySandbox = async (options: LoginOptions): Promise<void> => {
  try {
    const { target, place } = await connect(options);
    if (target.sandbox !== undefined) say(`Commands here work in ${labelOf(await place())}.`);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    warn(`${error.message}${error.details.hint ? `\n  ${error.details.hint}` : ""}`);
  }
};

const run = async (options: LoginOptions): Promise<void> => {
  const target = await parentTargetOf(options);
  const signedIn = await signInSomehow(target, options);
  const place = await save(target, signedIn);
  if (signedIn.client_id === undefined) await preferParent(target, place);
  // Fails now if the workspace's organization is not one of the person's.
  await freshToken(await parentTargetOf({ ...options, profile: target.name }));
  const profile = target.name === "default" ? "" : ` (profile ${target.name})`;
  done(`Signed in to ${target.url} as ${signedIn.email ?? "you"}${profile}`);
  await trySandbox({ ...options, profile: target.name });
  remark("Try: tenantry whoami");
};

export const login = (): Command =>
  withExamples(
    withConnection(
      new Command("login")
        .summary("sign in")
        .description(
          "Signs in in your browser; in a script, or with --password or --email, here: with email and password, " +
            "and a code where the account has a second factor. What is kept is a session's tokens, in a " +
            "file that only you can read; the password is not kept.",
        )
        .option("--password", "here, with email and password")
        .option("--email <address>", "as whom; asked for if left out")
        .option("--code <code>", "the second factor's code, for accounts that have one")
        .option("--allow-http", "send the password over http:// to another machine"),
    ),
    ["tenantry login"],
    ["tenantry login --url https://api.example.com --profile work", "a second platform beside the first"],
    ["tenantry login --password --email ci@example.com < password.txt", "in a script"],
  ).action(run);
