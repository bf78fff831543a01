import { MongoClient } from "mongodb";

/** Nothing but the data calls of everybody's status: users, their devices and sessions are read at once and counted. */
const connected = new MongoClient(process.env.MONGODB_URI ?? "", { maxPoolSize: 4 }).connect();

export const handler = async (event: { pathParameters: { organization: string } }) => {
  const database = (await connected).db(event.pathParameters.organization);
  const all = (name: string, ...fields: string[]) =>
    database
      .collection(name)
      .find({}, { projection: Object.fromEntries(fields.map((field) => [field, 1])) })
      .toArray();
  const [users, presences, sessions] = await Promise.all([
    all("user", "name", "email", "availability"),
    all("user_presence", "last_active_at", "devices"),
    all("admitted_session", "user_id"),
  ]);
  const running = new Set(sessions.map(({ _id }) => String(_id)));
  const devices = new Map(presences.map((one) => [one._id, one]));
  const statuses = users.map(({ _id, name, email, availability }) => {
    const presence = devices.get(_id);
    const online = Object.keys(presence?.devices ?? {}).filter((device) => running.has(device)).length;
    return { user: { id: _id, name, email }, availability, last_active_at: presence?.last_active_at, online };
  });
  return {
    statusCode: 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ users: statuses }),
  };
};
