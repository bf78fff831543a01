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

describe("the count of a pipeline", () => {
  it("is left out if the database cannot give it", async () => {
    const collection = failing(serverError(16389, "the pipeline's result is too large"));
    expect(await countRows(collection, [], 1_000)).toBeNull();
    expect(await countRows(collection, [{ $match: {} }], 1_000)).toBeNull();
  });

  it.each([50, 262])("raises the database's error %i when it takes too long", async (code) => {
    const collection = failing(serverError(code, "operation exceeded time limit"));
    await expect(countRows(collection, [], 1_000)).rejects.toMatchObject({ code });
    await expect(countRows(collection, [{ $match: {} }], 1_000)).rejects.toMatchObject({ code });
  });

  it("is not requested when the time is over", async () =>
    expect(await countRows(failing(new Error("asked")), [], 0)).toBeNull());

  it("raises an error if the database is unavailable", async () =>
    expect(countRows(failing(new MongoNetworkError("away")), [], 1_000)).rejects.toThrow("away"));
});

describe("an error of the database in a pipeline", () => {
  const pipeline = [{ $match: {} }, { $project: { a: [{ $divide: [1, "$amount"] }] } }];

  it("becomes query_timeout if the pipeline took too long", () =>
    expect(pipelineError(serverError(50, "operation exceeded time limit"), pipeline)).toMatchObject({
      code: "validation_failed",
      issues: [{ loc: ["body", "pipeline"], type: "query_timeout" }],
    }));

  it("names the operator and its path", () => {
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

  it("stays unchanged if the pipeline did not cause it", () => {
    for (const error of [serverError(13, "not authorized"), serverError(10107, "not primary"), new Error("other")]) {
      expect(pipelineError(error, pipeline)).toBe(error);
    }
  });

  it("closes the cursor", async () => {
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
