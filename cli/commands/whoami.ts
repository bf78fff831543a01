import { Command } from "commander";
import { type Loaded, labelOf, placeIn } from "../connection/places.ts";
import { connect } from "../connection/platform.ts";
import { type CommonOptions, withConnection, withExamples, withJson } from "../options.ts";
import { showOne } from "../terminal/show.ts";

const standing = ({ user }: Loaded): string => {
  const ranks = [
    user.is_account_owner ? "account owner" : user.is_account_admin && "account admin",
    user.is_superuser && "superuser",
    user.role?.name,
  ].filter(Boolean);
  return ranks.length > 0 ? ranks.join(", ") : "member";
};

/** Shown only if it applies. */
const emailOf = ({ user }: Loaded): string =>
  user.email_confirmed === false ? `${user.email} (not confirmed)` : user.email;

const run = async (options: CommonOptions): Promise<void> => {
  const { target, call } = await connect(options);
  const loaded = (await call({ method: "GET", path: "/v1/auth/load", repeatable: true })).body as Loaded;
  const where = labelOf(placeIn(loaded));
  const others = loaded.organizations.filter(({ id }) => id !== loaded.organization.id);
  const summary = {
    name: loaded.user.name,
    email: emailOf(loaded),
    organization: `${where} (${loaded.organization.id})`,
    standing: standing(loaded),
    ...(loaded.permissions.length > 0 && { permissions: loaded.permissions.map(({ name }) => name) }),
    ...(others.length > 0 && { "other organizations": others.map(({ id, name }) => `${name} (${id})`) }),
    platform: target.url,
    profile: target.name,
  };
  const { permissions, ...content } = loaded;
  await showOne(
    options,
    { ...content, permissions },
    Object.keys(summary).map((key) => ({ key })),
    summary,
  );
};

export const whoami = (): Command =>
  withExamples(
    withConnection(
      withJson(
        new Command("whoami")
          .summary("show who you are, and where")
          .description("Shows the person signed in, the organization that commands work in, and the platform."),
      ),
    ),
    ["tenantry whoami"],
    ["tenantry whoami --output json | jq -r .organization.id", "the id alone"],
  ).action(run);
