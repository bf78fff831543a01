import { Failure } from "../failure.ts";
import { type Profile, readStore, type Store } from "./credentials.ts";
import { type FoundWorkspace, findWorkspace, isSandboxName, sandboxOf } from "./workspace.ts";

/** The default address of `npm start`. */
const LOCAL_URL = "http://127.0.0.1:3000";

/** The options of all commands that use a platform. */
export interface ConnectionOptions {
  readonly profile?: string;
  readonly url?: string;
  readonly organization?: string;
  readonly sandbox?: string;
}

/** The platform, profile and organization of a command. */
export interface Target {
  readonly name: string;
  readonly url: string;
  readonly organization: string | undefined;
  /** Whether the organization was named, and is not just the profile's. */
  readonly isNamed: boolean;
  /** The name of the organization's sandbox that the command works in. */
  readonly sandbox: string | undefined;
  /** Undefined if nobody is signed in there under that name. */
  readonly profile: Profile | undefined;
  readonly workspace: FoundWorkspace | undefined;
}

/** An address without path and query. @throws Failure if it is no address */
export const cleanUrl = (text: string): string => {
  const scheme = /^(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/.test(text) ? "http" : "https";
  const url = URL.parse(/^\w+:\/\//.test(text) ? text : `${scheme}://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "" || url.hash !== "") {
    throw new Failure("usage", `${text} is not the address of a platform.`, {
      hint: `It looks like https://api.example.com or ${LOCAL_URL}`,
    });
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
};

/** The current profile if it has that address, else another one that has it, else an unused name made from the host. */
const nameFor = (store: Store, url: string): string => {
  if (store.profiles[store.current]?.url === url) return store.current;
  const known = Object.keys(store.profiles).find((name) => store.profiles[name]?.url === url);
  if (known !== undefined) return known;
  return store.profiles[store.current] === undefined ? store.current : new URL(url).host.replace(":", "-");
};

export const sandboxNamed = (sandbox: string): string => {
  if (isSandboxName(sandbox)) return sandbox;
  throw new Failure("usage", `${sandbox} is not the name of a sandbox.`, {
    hint: "A name has lowercase letters, digits and underscores. Which are there? tenantry sandbox list",
  });
};

/**
 * The sandbox that is named by option, environment or workspace file. An organization of the option is meant itself. One
 * of the environment beside a sandbox of the file could mean either, and is refused.
 */
const wantedSandbox = (options: ConnectionOptions, workspace: FoundWorkspace | undefined): string | undefined => {
  const { TENANTRY_SANDBOX, TENANTRY_ORGANIZATION } = process.env;
  if (options.sandbox !== undefined) return sandboxNamed(options.sandbox);
  if (options.organization !== undefined) return undefined;
  if (TENANTRY_SANDBOX) return sandboxNamed(TENANTRY_SANDBOX);
  const sandbox = workspace && sandboxOf(workspace);
  if (sandbox === undefined || !TENANTRY_ORGANIZATION) return sandbox;
  throw new Failure(
    "usage",
    `${workspace?.path} names the sandbox ${sandbox}, and TENANTRY_ORGANIZATION the organization ${TENANTRY_ORGANIZATION}.`,
    { hint: `Say which is meant: --sandbox ${sandbox}, or --organization ${TENANTRY_ORGANIZATION}` },
  );
};

/** Precedence: option, environment, workspace file, current profile. */
const targetWith = async (
  options: ConnectionOptions,
  workspace: FoundWorkspace | undefined,
  sandbox: string | undefined,
): Promise<Target> => {
  const { TENANTRY_PROFILE, TENANTRY_URL, TENANTRY_ORGANIZATION } = process.env;
  const store = await readStore();
  const wantedUrl = options.url ?? (TENANTRY_URL || workspace?.url);
  const wantedName = options.profile ?? (TENANTRY_PROFILE || workspace?.profile);
  const cleaned = wantedUrl === undefined ? undefined : cleanUrl(wantedUrl);
  const name = wantedName ?? (cleaned === undefined ? store.current : nameFor(store, cleaned));
  const stored = store.profiles[name];
  const url = cleaned ?? stored?.url ?? LOCAL_URL;
  // A workspace file may name any address, but tokens are sent to their own platform only.
  const profile = stored?.url === url ? stored : undefined;
  const organization = options.organization ?? (TENANTRY_ORGANIZATION || workspace?.organization);
  return {
    name,
    url,
    organization: organization ?? profile?.organization,
    isNamed: organization !== undefined,
    sandbox,
    profile,
    workspace,
  };
};

/** Where a command works. */
export const targetOf = async (options: ConnectionOptions): Promise<Target> => {
  const workspace = findWorkspace();
  return targetWith(options, workspace, wantedSandbox(options, workspace));
};

/** As if no sandbox were named: for commands that work in the organization itself. */
export const parentTargetOf = (options: ConnectionOptions): Promise<Target> => parentTargetIn(findWorkspace(), options);

export const parentTargetIn = (workspace: FoundWorkspace | undefined, options: ConnectionOptions): Promise<Target> =>
  targetWith(options, workspace, undefined);
