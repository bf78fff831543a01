import { MongoClient } from "mongodb";
import { copyOrganizations } from "../setup/copy-organization.ts";
import { claimsOf, tokenForge } from "../setup/forge-token.ts";
import { httpClient } from "../setup/http-client.ts";
import type { LaunchedPlatform } from "../setup/launch-platform.ts";

export interface Prepared {
  readonly organization: string;
  readonly token: string;
  readonly leadId: string;
  /** Tokens of the same user in 1,000 organizations, each with the same lead. */
  readonly tokens: readonly string[];
}

const ORGANIZATIONS = 1_000;

/** An organization with 1,000 leads, of which 500 are `New`, and its thousand small copies. */
export const prepareOrganization = async (access: LaunchedPlatform["access"]): Promise<Prepared> => {
  const http = httpClient(access.url);
  const { body } = await http.post("/v1/register", {
    body: { organization_name: "Bench", email: "bench@example.test", password: "correct horse battery staple" },
    expect: 201,
  });
  const { access_token: token, organization_id: organization } = body;
  const first = await http.post("/v1/object/lead", {
    token,
    body: { name: "One", status: "New", amount: 1 },
    expect: 201,
  });
  const mongo = await new MongoClient(access.mongoUri).connect();
  const copies = await copyOrganizations(mongo, organization, ORGANIZATIONS);
  await mongo.close();
  for (let batch = 0; batch < 2; batch += 1) {
    const leads = Array.from({ length: 500 }, (_, index) => ({
      name: `Lead ${batch}-${index}`,
      status: index % 2 === 0 ? "New" : "Working",
      source: "Web",
      email: `lead-${batch}-${index}@example.test`,
      amount: (index * 7919) % 10_000,
    }));
    await http.post("/v1/object/lead", { token, body: leads, expect: 201 });
  }
  const forge = tokenForge(access);
  const tokens = await Promise.all(copies.map((org) => forge.sign({ ...claimsOf(token), org })));
  return { organization, token, leadId: first.body.id, tokens };
};
