/**
 * A platform in a process of its own, which a test kills. It sends messages one after another, deletes every third of
 * them, and writes one line for each thing that was acknowledged: `sent <id>`, `deleted <id>`. Before a deletion it
 * writes `deleting <id>`.
 */
import { writeSync } from "node:fs";
import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { startPlatform } from "../../infra/local/platform.ts";
import { redriven } from "./queues.ts";
import { sdkSettings } from "./run.ts";
import { template } from "./stack.ts";

const [dataDir = ""] = process.argv.slice(2);
const platform = await startPlatform({
  templates: new Map([["queues", template(redriven(5))]]),
  dataDir,
  port: 0,
  mongoUri: "mongodb://127.0.0.1:9/",
});
const sqs = new SQSClient(sdkSettings(platform));
const QueueUrl = `${platform.awsEndpoint}/000000000000/Source`;
for (let index = 0; ; index += 1) {
  const { MessageId } = await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: String(index) }));
  writeSync(1, `sent ${MessageId}\n`);
  if (index % 3 !== 0) continue;
  const { Messages: [message] = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 60 }));
  if (message === undefined) continue;
  writeSync(1, `deleting ${message.MessageId}\n`);
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
  writeSync(1, `deleted ${message.MessageId}\n`);
}
