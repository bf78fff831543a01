import { MongoClient } from "mongodb";

/** Only the database call of `GET /v1/object/lead/{id}`, as the reference for the platform. */
const connected = new MongoClient(process.env.MONGODB_URI ?? "", { maxPoolSize: 4 }).connect();

export const handler = async (event: { pathParameters: { organization: string; id: string } }) => {
  const { organization, id } = event.pathParameters;
  const record = await (await connected).db(organization).collection<{ _id: string }>("lead").findOne({ _id: id });
  return { statusCode: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(record) };
};
