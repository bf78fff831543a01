import { remark, say } from "../terminal/terminal.ts";
import {
  type Access,
  givenAccess,
  isNotMember,
  notInParent,
  organizationAccess,
  sandboxAccess,
  within,
} from "./access.ts";
import type { Place } from "./credentials.ts";
import { type Loaded, labelOf, placeIn } from "./places.ts";
import { type Reply, type Request, refusal, send } from "./request.ts";
import { type ConnectionOptions, parentTargetOf, type Target, targetOf } from "./target.ts";
import { signedOut } from "./tokens.ts";

/** The platform's API for the signed-in person in one organization. */
export interface Platform {
  readonly target: Target;
  /** The organization or sandbox that the requests go to. */
  place(): Promise<Place>;
  /** The reply to a successful request. @throws Failure for every other status */
  call(request: Request): Promise<Reply>;
}

const writes = ({ method, reads }: Request): boolean => method !== "GET" && reads !== true;

const platformWith = (target: Target, access: Access): Platform => {
  let told = false;
  let found: Place | undefined;
  const reply = async (request: Request): Promise<Reply> => {
    const used = await access.token();
    const first = await send(target.url, request, used);
    const last = first.status === 401 ? await send(target.url, request, await access.token(used)) : first;
    if (last.status < 300) return last;
    throw last.status === 401
      ? signedOut(target, `Your session at ${target.url} has ended.`)
      : refusal(target.url, last);
  };
  const place = async (): Promise<Place> => {
    found ??= access.known();
    if (found) return found;
    found = placeIn((await reply({ method: "GET", path: "/v1/auth/load", repeatable: true })).body as Loaded);
    await access.remember(found);
    return found;
  };
  /** Says once that the command works in a sandbox: in a script only if it writes. */
  const tell = async (request: Request): Promise<void> => {
    if (told) return;
    await access.token();
    const isWrite = writes(request);
    const where = found ?? access.known() ?? (isWrite && access.mayBeSandbox ? await place() : undefined);
    if (told || where?.sandbox === undefined) return;
    // A remark is shown on a terminal only.
    told = isWrite || process.stderr.isTTY;
    (isWrite ? say : remark)(`In ${labelOf(where)}`);
  };
  return {
    target,
    place,
    async call(request) {
      await tell(request);
      return reply(request);
    },
  };
};

const requireSignIn = (target: Target): void => {
  if (target.profile?.refresh_token === undefined) throw signedOut(target);
};

const inOrganization = (target: Target, organization = target.organization): Platform => {
  const there = within(target, organization);
  return platformWith(there, organizationAccess(there));
};

/** The organization itself; the parent, if the one that is named is a sandbox. */
const parentOf = async (target: Target): Promise<Platform> => {
  const platform = inOrganization(target);
  const { sandbox } = await platform.place();
  return sandbox === undefined ? platform : inOrganization(target, sandbox.parent);
};

/** The platform where commands work. @throws Failure `signedOut` if nobody is signed in there */
export const connect = async (options: ConnectionOptions): Promise<Platform> => {
  const target = await targetOf(options);
  const { TENANTRY_TOKEN: given } = process.env;
  if (given) return platformWith(target, await givenAccess(target, given));
  requireSignIn(target);
  if (target.sandbox === undefined) return inOrganization(target);
  const parent = await parentOf(target).catch((error: unknown) => {
    throw isNotMember(error) ? notInParent(target) : error;
  });
  const named = { ...target, organization: parent.target.organization };
  return platformWith(named, sandboxAccess(named, parent.call));
};

/** The platform as the production organization sees it, also if a sandbox is named. */
export const connectParent = async (options: ConnectionOptions): Promise<Platform> => {
  const target = await parentTargetOf(options);
  const { TENANTRY_TOKEN: given } = process.env;
  if (given) return platformWith(target, await givenAccess(target, given));
  requireSignIn(target);
  return parentOf(target);
};

/** The parent, if the platform works in a sandbox. A token in TENANTRY_TOKEN is not for the parent. */
export const parentPlatform = async (platform: Platform): Promise<Platform | undefined> => {
  if (process.env.TENANTRY_TOKEN) return undefined;
  const { sandbox } = await platform.place();
  return sandbox && inOrganization(platform.target, sandbox.parent);
};
