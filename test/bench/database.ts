import { MongoClient } from "mongodb";
import { perSecond } from "./measure.ts";
import { line } from "./print.ts";

/** The embedded database through the MongoDB driver. */
export const benchDatabase = async (uri: string): Promise<void> => {
  const client = await new MongoClient(uri).connect();
  const collection = client.db("bench").collection<{ _id: number; name: string; amount: number }>("items");
  const documents = (start: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({ _id: start + index, name: `Item ${index}`, amount: index % 100 }));
  let next = 0;
  const inserts = await perSecond(
    async () => {
      const batch = documents(next, 1_000);
      next += 1_000;
      await collection.insertMany(batch, { ordered: false });
    },
    2,
    2,
  );
  line("embedded database: inserts, batches of 1,000", `${Math.round(inserts * 1_000)} /s`);
  const find = () => collection.findOne({ _id: Math.floor(Math.random() * 1_000) });
  await perSecond(find, 1, 0.5);
  line("embedded database: findOne, one after the other", `${Math.round(await perSecond(find, 1, 2))} /s`);
  line("embedded database: findOne, 50 at once", `${Math.round(await perSecond(find, 50, 2))} /s`);
  await client.db("bench").dropDatabase();
  await client.close();
};
