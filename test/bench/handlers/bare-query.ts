import { MongoClient } from "mongodb";

/** Nothing but the data call of a query of 100 rows: the same pipeline, sent by hand. */
const { MONGODB_URI = "", ORGANIZATION = "", PIPELINE = "[]" } = process.env;
const pipeline = JSON.parse(PIPELINE);
const connected = new MongoClient(MONGODB_URI, { maxPoolSize: 4 }).connect();

export const handler = async () => {
  const leads = (await connected).db(ORGANIZATION).collection("lead");
  const records = await leads.aggregate(pipeline).toArray();
  return { statusCode: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ records }) };
};
