import { MongoClient } from "mongodb";

/** Nothing but the data call of `GET /v1/object/lead/{id}`: the floor that the platform is measured against. */
const { MONGODB_URI = "", ORGANIZATION = "" } = process.env;
const connected = new MongoClient(MONGODB_URI, { maxPoolSize: 4 }).connect();

export const handler = async (event: { pathParameters: { id: string } }) => {
  const leads = (await connected).db(ORGANIZATION).collection<{ _id: string }>("lead");
  const record = await leads.findOne({ _id: event.pathParameters.id });
  return { statusCode: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(record) };
};
