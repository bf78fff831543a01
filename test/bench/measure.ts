import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

export interface Target {
  readonly url: string;
  readonly headers?: Record<string, string>;
}

/** One GET over a kept-alive connection. Gives the milliseconds until the last byte. */
export const timedGet = ({ url, headers = {} }: Target): Promise<number> =>
  new Promise((resolve, reject) => {
    const start = performance.now();
    const sent = request(url, { agent, headers }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => chunks.push(chunk));
      reply.on("end", () => {
        if (reply.statusCode === 200) resolve(performance.now() - start);
        else reject(new Error(`${url} → ${reply.statusCode} ${Buffer.concat(chunks)}`));
      });
    });
    sent.on("error", reject);
    sent.end();
  });

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

/**
 * Medians of two ways to do the same, taken in turns within one run, so that a busy moment of the machine affects both.
 * The order within a pair alternates.
 */
export const comparePair = async (
  first: () => Promise<number>,
  second: () => Promise<number>,
  rounds: number,
): Promise<{ first: number; second: number; ratio: number }> => {
  for (let round = 0; round < rounds / 5; round += 1) {
    await first();
    await second();
  }
  const firsts: number[] = [];
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) firsts.push(await first());
    seconds.push(await second());
    if (round % 2 === 1) firsts.push(await first());
  }
  const result = { first: median(firsts), second: median(seconds) };
  return { ...result, ratio: result.first / result.second };
};

/** How often `work` runs in a second, with `parallel` concurrent runs. */
export const perSecond = async (work: () => Promise<unknown>, parallel: number, seconds: number): Promise<number> => {
  const end = performance.now() + seconds * 1000;
  let done = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() < end) {
      await work();
      done += 1;
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: parallel }, loop));
  return done / ((performance.now() - start) / 1000);
};

/** One POST over a kept-alive connection. Gives the body too. */
export const timedPost = (
  { url, headers = {} }: Target,
  body: string,
  expected = 200,
): Promise<{ milliseconds: number; text: string }> =>
  new Promise((resolve, reject) => {
    const start = performance.now();
    const sent = request(url, { agent, method: "POST", headers }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => chunks.push(chunk));
      reply.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        if (reply.statusCode === expected) resolve({ milliseconds: performance.now() - start, text });
        else reject(new Error(`${url} → ${reply.statusCode} ${text}`));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
