import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { readSecret } from "#shared/foundation/aws/secrets";
import { clusterClient, clusterNames, provisioningClient, provisioningClusterNames } from "#shared/tenant/clusters";

vi.mock("#shared/foundation/aws/secrets", () => ({ readSecret: vi.fn() }));

const { mongoUri } = inject("platform");
const secrets: Record<string, Record<string, string>> = {
  "arn:platform": { default: mongoUri, second: mongoUri },
  "arn:provisioning": { default: mongoUri },
};

beforeAll(() => {
  vi.stubEnv("STAGE", "test");
  vi.stubEnv("MONGODB_SECRET_ARN", "arn:platform");
  vi.stubEnv("PROVISIONING_MONGODB_SECRET_ARN", "arn:provisioning");
  vi.mocked(readSecret).mockImplementation(async (arn) => JSON.stringify(secrets[arn]));
});
afterAll(async () => {
  await Promise.all([(await clusterClient("default")).close(), (await provisioningClient("default")).close()]);
  vi.unstubAllEnvs();
});

test("each of the two secrets has its clusters, and clients of its own that are made once", async () => {
  expect(await clusterNames()).toEqual(["default", "second"]);
  expect(await provisioningClusterNames()).toEqual(["default"]);
  const [platform, provisioning] = [await clusterClient("default"), await provisioningClient("default")];
  expect(provisioning).not.toBe(platform);
  expect(await provisioningClient("default")).toBe(provisioning);
  expect(await clusterClient("default")).toBe(platform);
});

test("a cluster that was added to the secret meanwhile is found, and an unknown one is refused", async () => {
  await expect(provisioningClient("second")).rejects.toThrow('The MongoDB secret has no URI for the cluster "second".');
  secrets["arn:provisioning"] = { default: mongoUri, second: mongoUri };
  const second = await provisioningClient("second");
  expect(await second.db("base").command({ ping: 1 })).toMatchObject({ ok: 1 });
  await second.close();
});
