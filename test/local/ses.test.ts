import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { expect, inject, it } from "vitest";
import { formatMail } from "../../infra/local/ses/message.ts";
import { readMails } from "../setup/mailbox.ts";

const { awsEndpoint, region, credentials, mailDirectory } = inject("platform");
const client = new SESv2Client({ endpoint: awsEndpoint, region, credentials });

const send = (to: string, subject: string, text: string) =>
  client.send(
    new SendEmailCommand({
      FromEmailAddress: "no-reply@tenantry.invalid",
      Destination: { ToAddresses: [to] },
      Content: { Simple: { Subject: { Data: subject }, Body: { Text: { Data: text } } } },
    }),
  );

it("SES writes each mail into a file of its own", async () => {
  const to = `reader-${process.pid}@example.test`;
  const { MessageId } = await send(to, "Hello", "one\ntwo");
  expect(MessageId).toBeTruthy();
  const [mail] = readMails(mailDirectory, to);
  expect(mail).toMatchObject({
    headers: { to, from: "no-reply@tenantry.invalid", subject: "Hello" },
    text: "one\ntwo",
  });
});

it("SES writes a composed mail as it is", async () => {
  const to = `composed-${process.pid}@example.test`;
  const Data = Buffer.from(`To: ${to}\r\nSubject: Composed\r\n\r\nwhole`);
  const Destination = { ToAddresses: [to, "other@example.test"] };
  const sent = { FromEmailAddress: "no-reply@tenantry.invalid", Destination, Content: { Raw: { Data } } };
  await client.send(new SendEmailCommand(sent));
  expect(readMails(mailDirectory, to)).toEqual([{ headers: { to, subject: "Composed" }, text: "whole" }]);
});

it("SES refuses a header of more than one line", async () => {
  await expect(send("a@example.test", "Hello\r\nBcc: b@example.test", "x")).rejects.toMatchObject({
    name: "BadRequestException",
  });
});

it("SES encodes a non-ASCII subject in words of the allowed length", () => {
  const subject = "Größe: ".repeat(20);
  const sent = new Date(0);
  const mail = formatMail({ id: "1", from: "a@b.test", to: ["c@d.test"], subject, text: "", sent });
  const folded = /^Subject: (.*(?:\r\n .*)*)/m.exec(mail)?.[1]?.split("\r\n ") ?? [];
  expect(folded.length).toBeGreaterThan(1);
  for (const word of folded) expect(word.length).toBeLessThanOrEqual(75);
  const words = folded.map((word) => Buffer.from(word.slice(10, -2), "base64").toString("utf8"));
  expect(words.join("")).toBe(subject);
});
