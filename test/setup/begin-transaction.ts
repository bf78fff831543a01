import { type ClientSession, MongoError } from "mongodb";

/** Begins a transaction with a write; begins again as long as another transaction writes the same document. */
export const beginTransaction = async (session: ClientSession, write: () => Promise<unknown>): Promise<void> => {
  for (;;) {
    session.startTransaction();
    try {
      await write();
      return;
    } catch (error) {
      if (!(error instanceof MongoError && error.hasErrorLabel("TransientTransactionError"))) throw error;
      await session.abortTransaction();
    }
  }
};
