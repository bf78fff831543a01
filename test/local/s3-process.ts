/**
 * A platform in a process of its own, which a test kills. It stores objects one after another, each under a key of its
 * own and under one that all share, deletes every third, and writes one line for each thing that was acknowledged:
 * `stored <key> <length>`, `deleted <key>`. Before a deletion it writes `deleting <key>`.
 */
import { writeSync } from "node:fs";
import { DeleteObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { startPlatform } from "../../infra/local/platform.ts";
import { Bucket, bucket, operatorOf } from "./buckets.ts";
import { template } from "./stack.ts";

const [dataDir = "", round = ""] = process.argv.slice(2);
const platform = await startPlatform({
  templates: new Map([["files", template({ Files: bucket() })]]),
  dataDir,
  port: 0,
  mongoUri: "mongodb://127.0.0.1:9/",
});
const s3 = operatorOf({ ...platform, entries: [] });
for (let index = 0; ; index += 1) {
  const own = `documents/${round}/${index}`;
  const length = 200_000 + index;
  for (const Key of [own, "documents/shared"]) {
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: Buffer.alloc(length, index % 256) }));
    writeSync(1, `stored ${Key} ${length}\n`);
  }
  if (index % 3 !== 0) continue;
  writeSync(1, `deleting ${own}\n`);
  await s3.send(new DeleteObjectCommand({ Bucket, Key: own }));
  writeSync(1, `deleted ${own}\n`);
}
