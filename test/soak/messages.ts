/** `npm run soak:messages [-- <messages>]`: nothing is lost and nothing is sent twice, at 10,000 messages. */
import { messageVolume } from "./message-volume.ts";

const messages = Number(process.argv[2] ?? 10_000);
const steps = ["connected", "called", "answered"] as const;
const kills = Array.from({ length: 9 }, (_, index) => ({
  at: steps[index % steps.length] ?? "called",
  after: Math.ceil(messages / 12),
}));
const print = (line: string) => void process.stdout.write(`${line}\n`);
const result = await messageVolume({ messages, kills, outage: Math.min(Math.ceil(messages / 100), 40), print });
const { twice, wrong } = result;
print(JSON.stringify({ ...result, twice: twice.length, wrong: wrong.length }, null, 2));
for (const one of [...twice, ...wrong].slice(0, 20)) print(one);
process.exit(twice.length + wrong.length === 0 ? 0 : 1);
