import { countPublicAttempt } from "#shared/tenant/tenant";

const limits = {
  perTarget: 60,
  perAddress: 300,
  refusal: {
    code: "too_many_attempts",
    message: "This address has run automations too often; try again in a minute.",
  },
} as const;

/** Counts a run. Raises `too_many_attempts`. */
export const countAttempt = (organizationId: string, automationId: string, address: string): Promise<void> =>
  countPublicAttempt(address, ["automation", organizationId, automationId], limits);
