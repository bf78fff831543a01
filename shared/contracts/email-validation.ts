import * as z from "zod";
import { defineContract } from "./contract.ts";

const check = z.boolean();

export const validateEmail = defineContract({
  operation: "validateEmail",
  area: "email-services",
  method: "POST",
  path: "/v1/email-services/validate-email",
  access: "user",
  reads: true,
  summary: "Check an email address",
  description:
    "Checks the syntax of RFC 5321 and 6531: international domains, plus-addresses, quoted local parts. With " +
    "`check_deliverability` it asks the DNS whether the domain takes mail. The mailbox itself is not asked.",
  request: {
    body: z
      .strictObject({
        email: z.string().max(1_000).describe("What somebody has typed. It may be no address at all."),
        check_deliverability: z.boolean().default(false).describe("Ask the DNS, at most three seconds."),
      })
      .meta({ id: "EmailValidationRequest", examples: [{ email: "ada@gmial.com", check_deliverability: true }] }),
  },
  replies: {
    200: {
      description: "What is known of the address.",
      body: z
        .object({
          email: z.string().describe("As it was sent."),
          is_valid: check.describe("False for a wrong syntax, and for a domain that exists and takes no mail."),
          normalized_email: z
            .string()
            .nullable()
            .describe("The domain in lower case and ASCII, unneeded quotes removed; null without a valid syntax."),
          reason: z.string().optional().describe("Why it is not valid, in a sentence."),
          suggestion: z.string().optional().describe("What was probably meant."),
          checks: z
            .object({
              syntax: check,
              domain: check.describe("Whether the name of the domain can be one on the internet."),
              mx: check
                .nullable()
                .optional()
                .describe("Only with `check_deliverability`: the domain takes mail; null if the DNS did not answer."),
              role: check.describe("A function rather than a person, such as info@ or postmaster@ (RFC 2142)."),
              disposable: check.describe("Of a known provider of throw-away addresses."),
            })
            .describe("What was checked, one by one."),
        })
        .meta({ id: "EmailValidationResponse" }),
    },
  },
  faults: [],
});
