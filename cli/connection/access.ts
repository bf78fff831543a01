import type * as z from "zod";
import type { getSandbox } from "#contracts/sandbox";
import { Failure } from "../failure.ts";
import { plain } from "../terminal/text.ts";
import type { Place } from "./credentials.ts";
import { knownSandbox, load, placeIn, rememberPlace } from "./places.ts";
import type { Reply, Request } from "./request.ts";
import { path } from "./request.ts";
import type { Target } from "./target.ts";
import { freshToken, organizationOf, signedOut, storedToken } from "./tokens.ts";

export type Sandbox = z.output<(typeof getSandbox)["replies"][200]["body"]>;

type Call = (request: Request) => Promise<Reply>;

/** Access tokens for one organization. They are never for another one. */
export interface Access {
  /** A token other than `stale`, which was refused. */
  token(stale?: string): Promise<string>;
  /** The organization, if it is known without a request. */
  known(): Place | undefined;
  /** Whether the organization could be a sandbox as long as it is not known. */
  readonly mayBeSandbox: boolean;
  /** Keeps what the platform said about the organization, for the next command. */
  remember(place: Place): Promise<void>;
}

export const within = (target: Target, organization: string | undefined): Target => ({
  ...target,
  organization,
  sandbox: undefined,
});

/** Access to the target's organization. */
export const organizationAccess = (target: Target): Access => {
  let token = storedToken(target);
  return {
    async token(stale) {
      if (token === undefined || token === stale) token = await freshToken(target, stale);
      return token;
    },
    known: () => target.profile?.places?.[target.organization ?? ""],
    mayBeSandbox: true,
    remember: (place) => rememberPlace(target, place),
  };
};

interface Entered {
  readonly token: string;
  readonly place: Place;
}

const askPlace = async (target: Target, token: string): Promise<Place | undefined> => {
  const loaded = await load(target, token);
  return loaded && placeIn(loaded);
};

const enter = async (target: Target, id: string, stale?: string): Promise<Entered> => {
  const inside = within(target, id);
  let token = await freshToken(inside, stale);
  let place = await askPlace(target, token);
  if (place === undefined) {
    token = await freshToken(inside, token);
    place = await askPlace(target, token);
  }
  if (place === undefined) throw signedOut(target, `Your session at ${target.url} has ended.`);
  await rememberPlace(target, place);
  return { token, place };
};

const isSandboxOf = ({ sandbox }: Place, target: Target): boolean =>
  sandbox?.name === target.sandbox && sandbox?.parent === target.organization;

export const isNotMember = (error: unknown): boolean =>
  error instanceof Failure && error.details.code === "not_a_member";

/** The next step for somebody whose command names a sandbox that they cannot use. */
const wayBack = ({ workspace, sandbox }: Target): string =>
  workspace?.sandbox === sandbox
    ? "Nothing was done in the organization itself. To work there again: tenantry sandbox use-parent"
    : "Which are there? tenantry sandbox list";

const unusable = (target: Target, sentence: string): Failure =>
  new Failure("refused", sentence, { hint: wayBack(target) });

const parentOf = ({ profile, organization = "" }: Target): string =>
  plain(profile?.places?.[organization]?.name ?? organization);

export const notInParent = (target: Target): Failure =>
  unusable(target, `The sandbox ${target.sandbox} belongs to ${parentOf(target)}, and you are not a user there.`);

/** The sandbox of that name, asked for in its parent. @throws Failure that names it */
export const findSandbox = async (target: Target, callParent: Call): Promise<Sandbox> => {
  const { sandbox = "" } = target;
  try {
    const reply = await callParent({ method: "GET", path: path`/v1/sandbox/${sandbox}`, repeatable: true });
    return reply.body as Sandbox;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.details.code === "sandbox_not_found")
      throw unusable(target, `${parentOf(target)} has no sandbox ${sandbox}.`);
    throw isNotMember(error) ? notInParent(target) : error;
  }
};

/** @throws Failure if the sandbox cannot be used now */
export const requireUsable = (target: Target, { sandbox_name, status }: Sandbox): void => {
  if (status === "active" || status === "refreshing") return;
  const why = {
    provisioning: "is still being made",
    failed: "could not be made",
    deleting: "is being deleted",
  };
  throw unusable(target, `The sandbox ${sandbox_name} ${why[status]}.`);
};

const enterByName = async (target: Target, callParent: Call, stale?: string): Promise<Entered> => {
  const known = knownSandbox(target);
  if (known) {
    try {
      const entered = await enter(target, known.id, stale);
      if (isSandboxOf(entered.place, target)) return entered;
    } catch (error) {
      if (!isNotMember(error)) throw error;
    }
  }
  const found = await findSandbox(target, callParent);
  requireUsable(target, found);
  try {
    const entered = await enter(target, found.id, stale);
    if (isSandboxOf(entered.place, target)) return entered;
  } catch (error) {
    if (!isNotMember(error)) throw error;
    throw unusable(target, `You are not a user of the sandbox ${target.sandbox}.`);
  }
  throw unusable(target, `${found.id} is not the sandbox ${target.sandbox} of ${target.organization}.`);
};

/**
 * Access to the sandbox that the target names. With each new token the platform is asked whether it is still the
 * sandbox of that name: if it is gone, the command stops.
 */
export const sandboxAccess = (target: Target, callParent: Call): Access => {
  const before = knownSandbox(target);
  const kept = before && storedToken(within(target, before.id));
  let entered: Entered | undefined = before && kept !== undefined ? { place: before, token: kept } : undefined;
  return {
    async token(stale) {
      if (entered === undefined || entered.token === stale) entered = await enterByName(target, callParent, stale);
      return entered.token;
    },
    known: () => entered?.place,
    mayBeSandbox: true,
    remember: (place) => rememberPlace(target, place),
  };
};

/** How the platform makes the ids of sandboxes. Only decides whether the platform is asked for the names. */
const SANDBOX_ID = /_s_[a-z0-9_]{1,12}$/;

/** Access by the token in TENANTRY_TOKEN. @throws Failure if it is not for the organization that is named */
export const givenAccess = async (target: Target, token: string): Promise<Access> => {
  const refused = (): Failure => signedOut(target, "The token in TENANTRY_TOKEN is not valid, or no longer.");
  const organization = organizationOf(token);
  let place: Place | undefined;
  if (target.sandbox !== undefined) {
    place = await askPlace(target, token);
    if (place === undefined) throw refused();
    const isMeant =
      place.sandbox?.name === target.sandbox && (!target.isNamed || place.sandbox.parent === target.organization);
    if (!isMeant) {
      throw new Failure("refused", `The token in TENANTRY_TOKEN is not for the sandbox ${target.sandbox}.`, {
        hint: "Get one by POST /v1/auth/switch, or use tenantry login in its place.",
      });
    }
  } else if (target.isNamed && target.organization !== organization) {
    throw new Failure("refused", `The token in TENANTRY_TOKEN is not for the organization ${target.organization}.`, {
      hint: "Which is named by --organization, TENANTRY_ORGANIZATION or tenantry.json.",
    });
  }
  return {
    async token(stale) {
      if (stale === token) throw refused();
      return token;
    },
    known: () => place,
    mayBeSandbox: SANDBOX_ID.test(organization ?? ""),
    remember: () => Promise.resolve(),
  };
};
