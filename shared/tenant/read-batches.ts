import { type ClientSession, type Db, type Document, Long, type MongoClient, MongoError } from "mongodb";

export interface ReadOptions {
  /** Documents in the first batch at most; the server may send fewer. */
  readonly batchSize?: number;
  /** After this time the server answers MaxTimeMSExpired. */
  readonly maxTimeMS?: number;
}

/** The documents of a pipeline, batch by batch, so that only one batch is in memory. */
export interface Batches<T extends Document = Document> {
  /** Null at the end. */
  next(): Promise<readonly T[] | null>;
  /** Closes the cursor on the server. Must be called if not everything was read. */
  close(): Promise<void>;
}

interface CursorReply<T> {
  readonly cursor: { readonly id: Long | number; readonly firstBatch?: T[]; readonly nextBatch?: T[] };
}

/** The driver repeats a read once after a failover, but not one that is sent as a command. */
const isRetryable = (error: unknown): boolean =>
  error instanceof MongoError &&
  (error.name === "MongoNetworkError" || error.hasErrorLabel("RetryableWriteError") || error.code === 11600);

const retriedOnce = async <T>(read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    if (!isRetryable(error)) throw error;
    return read();
  }
};

const asLong = (id: Long | number): Long => (typeof id === "number" ? Long.fromNumber(id) : id);

/**
 * Runs a pipeline by commands. The driver's cursors decode each document alone, which takes about twice the processor
 * time of decoding a reply as a whole. Nearly every read is one reply.
 */
export const readBatches = <T extends Document>(
  client: MongoClient,
  db: Db,
  collection: string,
  pipeline: readonly Document[],
  { batchSize = 101, maxTimeMS }: ReadOptions = {},
): Batches<T> => {
  // A cursor belongs to the session that opened it.
  let session: ClientSession | undefined;
  let open: Long | undefined;
  let done = false;

  const end = async (): Promise<void> => {
    done = true;
    open = undefined;
    await session?.endSession();
  };
  const send = (command: Document): Promise<CursorReply<T>> =>
    db.command(command, session ? { session } : {}) as Promise<CursorReply<T>>;
  const first = async (): Promise<CursorReply<T>> => {
    session = client.startSession();
    const limits = maxTimeMS === undefined ? {} : { maxTimeMS };
    const command = { aggregate: collection, pipeline, cursor: { batchSize }, allowDiskUse: true, ...limits };
    return retriedOnce(() => send(command));
  };
  return {
    async next() {
      if (done) return null;
      try {
        const { cursor } = open === undefined ? await first() : await send({ getMore: open, collection });
        const id = asLong(cursor.id);
        open = id;
        if (id.isZero()) await end();
        const batch = cursor.firstBatch ?? cursor.nextBatch ?? [];
        return batch.length === 0 && done ? null : batch;
      } catch (error) {
        await end();
        throw error;
      }
    },
    async close() {
      const cursor = open;
      if (!done && cursor !== undefined) await send({ killCursors: collection, cursors: [cursor] });
      await end();
    },
  };
};
