import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { MongoClient } from "mongodb";
import { httpClient } from "../../setup/http-client.ts";
import type { PlatformProcess } from "../../setup/platform-process.ts";

const CUSTOMER = "cus_killed";
const ACCOUNT = `AC${"1".repeat(32)}`;

/** The one organization of the test, with its accounts at the vendors. */
export const killed = { customer: CUSTOMER, account: ACCOUNT, email: "killed@example.test" } as const;

/** Billing of a platform, with the work of a killed process free again, as it is when its leases have run out. */
export const billingOf = async ({ access }: Pick<PlatformProcess, "access">) => {
  const settings = { endpoint: access.awsEndpoint, region: access.region, credentials: access.credentials };
  const lambda = new LambdaClient(settings);
  const sqs = new SQSClient(settings);
  const client = await new MongoClient(access.mongoUri).connect();
  const base = client.db("base");
  const invoke = async <T>(name: string, event: object = {}): Promise<T> => {
    const command = new InvokeCommand({
      FunctionName: `tenantry-${access.stage}-${name}`,
      Payload: JSON.stringify(event),
    });
    const { FunctionError, Payload } = await lambda.send(command);
    const text = Payload?.transformToString() ?? "null";
    if (FunctionError !== undefined) throw new Error(text);
    return JSON.parse(text);
  };
  const past = { $set: { "lease.until": new Date(0) } };
  for (const name of ["_outbox", "usage_day"])
    await base.collection(name).updateMany({ lease: { $exists: true } }, past);
  return {
    base,
    invoke,
    /** Registers the organization. */
    register: async (): Promise<void> => {
      const registration = {
        organization_name: "Killed",
        email: killed.email,
        password: "correct horse battery staple",
      };
      const { body } = await httpClient(access.url).post("/v1/register", { body: registration, expect: 201 });
      const accounts = { paymentvendor_customer_id: CUSTOMER, smsvendor_account_id: ACCOUNT };
      await invoke("link-billing", { organization_id: body.organization_id, ...accounts });
    },
    /** Delivers again what waits for its next attempt, as if that time had passed. */
    deliverAgain: async (): Promise<void> => {
      const waiting = await base.collection("_outbox").find({ status: "sent" }).toArray();
      for (const { _id, queue } of waiting) {
        const QueueUrl = `${access.awsEndpoint}/000000000000/tenantry-${access.stage}-${queue}`;
        const MessageBody = JSON.stringify({ organization: "base", id: _id });
        await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: "base" }));
      }
    },
    close: () => client.close(),
  };
};
