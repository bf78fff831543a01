import { type Collection, type Document, MongoNetworkError, MongoServerError } from "mongodb";
import { describe, expect, it } from "vitest";
import { pipelineError } from "#shared/data/pipeline/database-error";
import { countRows, runStages } from "#shared/data/pipeline/run";

const serverError = (code: number, message: string): MongoServerError => new MongoServerError({ code, message });

const failing = (error: Error): Collection<Document> => {
  const fail = async () => {
    throw error;
  };
  const cursor = { hasNext: fail, toArray: fail, close: async () => undefined };
  return { aggregate: () => cursor, estimatedDocumentCount: fail } as unknown as Collection<Document>;
};

describe("a count", () => {
  it("is left out where the database cannot say it", async () => {
    const collection = failing(serverError(16389, "the pipeline's result is too large"));
    expect(await countRows(collection, [], 1_000)).toBeNull();
    expect(await countRows(collection, [{ $match: {} }], 1_000)).toBeNull();
  });

  it.each([50, 262])("that takes longer than its time raises that: %i", async (code) => {
    const collection = failing(serverError(code, "operation exceeded time limit"));
    await expect(countRows(collection, [], 1_000)).rejects.toMatchObject({ code });
    await expect(countRows(collection, [{ $match: {} }], 1_000)).rejects.toMatchObject({ code });
  });

  it("is not even asked for when the time is over", async () =>
    expect(await countRows(failing(new Error("asked")), [], 0)).toBeNull());

  it("does not hide that the database is away", async () =>
    expect(countRows(failing(new MongoNetworkError("away")), [], 1_000)).rejects.toThrow("away"));
});

describe("what the database refuses", () => {
  const pipeline = [{ $match: {} }, { $project: { a: [{ $divide: [1, "$amount"] }] } }];

  it("is a query to be narrowed if it took too long", () =>
    expect(pipelineError(serverError(50, "operation exceeded time limit"), pipeline)).toMatchObject({
      code: "validation_failed",
      issues: [{ loc: ["body", "pipeline"], type: "query_timeout" }],
    }));

  it("is named where it stands", () => {
    const message = "PlanExecutor error during aggregation :: caused by :: can't $divide by zero";
    expect(pipelineError(serverError(2, message), pipeline)).toMatchObject({
      issues: [
        {
          loc: ["body", "pipeline", 1, "$project", "a", 0, "$divide"],
          msg: "pipeline[1].$project.a[0].$divide: can't $divide by zero",
          type: "pipeline_failed",
          ctx: { operator: "$divide" },
        },
      ],
    });
  });

  it("stays what it is if the pipeline is not to blame", () => {
    for (const error of [serverError(13, "not authorized"), serverError(10107, "not primary"), new Error("other")]) {
      expect(pipelineError(error, pipeline)).toBe(error);
    }
  });

  it("ends the cursor too", async () => {
    let closed = 0;
    const cursor = {
      hasNext: async () => true,
      readBufferedDocuments: () => [{}],
      close: async () => {
        closed += 1;
      },
    };
    const collection = { aggregate: () => cursor } as unknown as Collection<Document>;
    const { rows, truncated } = await runStages(collection, [], { maxTimeMS: 20_000, rowLimit: 2, keepsId: false });
    expect([rows.length, truncated, closed]).toEqual([2, true, 1]);
  });
});
