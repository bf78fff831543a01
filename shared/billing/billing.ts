/** Payment and usage: what the payment vendor and the SMS vendor say about organizations, and what follows from it. */
export { linkAccounts } from "./accounts.ts";
export { dailyBilling } from "./daily.ts";
export { handleHook } from "./hooks/handle.ts";
export { receiveHook } from "./hooks/receive.ts";
export { billingOverview, listUsage } from "./overview.ts";
export { checkedRange, yesterday } from "./usage/days.ts";
export { showUsageRun } from "./usage/show-run.ts";
export { planUsageRun, startUsageRun } from "./usage/start-run.ts";
export { syncDay } from "./usage/sync-day.ts";
