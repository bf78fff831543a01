import { rmSync } from "node:fs";
import { expect, inject, test } from "vitest";
import { startPlatformProcess } from "../setup/platform-process.ts";
import { vendorControl } from "../vendors/controlled-vendor.ts";
import { startPlatformVendors } from "../vendors/platform-vendors.ts";
import { billingOf, killed } from "./killed/billing.ts";
import { temporaryDirectory } from "./run.ts";

/** A generous limit for a busy machine. */
const patiently = { timeout: 240_000, interval: 20 };

test("a usage sync that is killed at any point and run again gives the totals of one sync", async () => {
  const dataDir = temporaryDirectory();
  const vendors = await startPlatformVendors();
  const [stripe, twilio] = [vendorControl(vendors.urls.stripe), vendorControl(vendors.urls.twilio)];
  await stripe("customer", killed.customer);
  // Its days are those of the first sync, also if another one comes after midnight.
  let began = 0;
  const dayBefore = (days: number): string => new Date(began - days * 86_400_000).toISOString().slice(0, 10);
  const use = async (): Promise<void> => {
    began = Date.now();
    const used = [1, 2, 3].flatMap((days) =>
      ["sms-inbound", "sms-outbound"].map((category, index) => ({
        account: killed.account,
        date: dayBefore(days),
        category,
        usage: String(10 * days + index),
      })),
    );
    await twilio("used", used);
  };
  const events = async (): Promise<unknown[]> => stripe("events", killed.customer);

  const start = () =>
    startPlatformProcess({
      dataDir,
      vendors: vendors.vendors,
      passwordHashes: "weak",
      bundles: inject("platform").bundles,
    });
  /** Kills the platform when the payment vendor has taken so many events. */
  const killAfter = async (taken: number, isFirst: boolean): Promise<void> => {
    const platform = await start();
    const billing = await billingOf(platform);
    if (isFirst) {
      await billing.register();
      await use();
    }
    // The answers are slow, so that a kill meets calls.
    await stripe("trouble", { on: killed.customer, kind: "slow", milliseconds: 400, after: true, times: 6 });
    // The kill may cut it.
    const syncing = billing.invoke("sync-billing").catch(() => undefined);
    const reported = async (): Promise<number> => {
      await billing.deliverAgain();
      return (await events()).length;
    };
    await expect.poll(reported, { ...patiently, interval: 500 }).toBeGreaterThanOrEqual(taken);
    await platform.kill();
    await Promise.all([syncing, billing.close()]);
  };
  await killAfter(1, true);
  await killAfter(3, false);

  const platform = await start();
  const billing = await billingOf(platform);
  try {
    await billing.invoke("sync-billing");
    const unfinished = async (): Promise<number> => {
      await billing.invoke("sweep-outbox");
      await billing.deliverAgain();
      const outbox = await billing.base.collection("_outbox").countDocuments({ status: { $ne: "failed" } });
      return outbox + (await billing.base.collection("usage_run_day").countDocuments({ status: "pending" }));
    };
    await expect.poll(unfinished, { ...patiently, interval: 2_000 }).toBe(0);
    expect(await stripe("totals", killed.customer)).toEqual({
      [`sms_inbound/${dayBefore(1)}`]: 10,
      [`sms_outbound/${dayBefore(1)}`]: 11,
      [`sms_inbound/${dayBefore(2)}`]: 20,
      [`sms_outbound/${dayBefore(2)}`]: 21,
      [`sms_inbound/${dayBefore(3)}`]: 30,
      [`sms_outbound/${dayBefore(3)}`]: 31,
    });
    // Nothing has changed at the SMS vendor, so each record was reported once.
    expect(await events()).toHaveLength(6);
    const records = await billing.base.collection("usage_record").find().sort({ _id: 1 }).toArray();
    expect(records.map(({ quantity, revision, report_status }) => [quantity, revision, report_status])).toEqual(
      [30, 31, 20, 21, 10, 11].map((quantity) => [quantity, 1, "reported"]),
    );
  } finally {
    await billing.close();
    await platform.stop();
    await vendors.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
