import { MongoClient } from "mongodb";

/** Only the database call of a query of 100 rows, with a pipeline written by hand. */
const connected = new MongoClient(process.env.MONGODB_URI ?? "", { maxPoolSize: 4 }).connect();
const pipeline = JSON.parse(process.env.PIPELINE ?? "[]");

export const handler = async (event: { pathParameters: { organization: string } }) => {
  const leads = (await connected).db(event.pathParameters.organization).collection("lead");
  const records = await leads.aggregate(pipeline).toArray();
  return { statusCode: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ records }) };
};
