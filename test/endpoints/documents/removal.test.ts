import { DeleteObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { expect, test } from "vitest";
import { databaseClient, http, invokeOperation, registerOrganization } from "../../platform.ts";
import { Bucket, download, filesOf, s3, upload } from "../../setup/documents.ts";
import { sandboxSteps } from "../../setup/sandboxes.ts";

test("the deletion of documents removes their files after the commit, one by one and many at once", async () => {
  const { token, organizationId } = await registerOrganization();
  const ids: string[] = [];
  for (let count = 0; count < 4; count += 1) ids.push((await upload(token, { expect: 201 })).body.id);
  await http.delete(`/v1/object/document/${ids[0]}`, { token, expect: 200 });
  await expect.poll(() => filesOf(organizationId)).toHaveLength(3);
  await http.delete("/v1/object/document", { token, query: { ids: ids.slice(1, 3) }, expect: 200 });
  await expect.poll(() => filesOf(organizationId)).toEqual([`documents/${organizationId}/${ids[3]}`]);
});

interface Note {
  _id: string;
  organization_id: string;
  document_id?: string;
  at: Date;
}

test("the job deletes the file of an upload that was cut off, and keeps those of written documents", async () => {
  const { token, organizationId } = await registerOrganization();
  const { body } = await upload(token, { expect: 201 });
  const client = await databaseClient();
  const notes = client.db("base").collection<Note>("file_sweep");
  expect(await notes.countDocuments({ organization_id: organizationId })).toBe(0);
  const at = new Date(Date.now() - 3_600_000);
  const lost = "01980000-0000-7000-8000-000000000001";
  const fresh = "01980000-0000-7000-8000-000000000002";
  const keyOf = (id: string) => `documents/${organizationId}/${id}`;
  const note = (id: string, time: Date) =>
    notes.updateOne(
      { _id: keyOf(id) },
      { $set: { organization_id: organizationId, document_id: id, at: time } },
      { upsert: true },
    );
  const cutOff = (id: string) => s3.send(new PutObjectCommand({ Bucket, Key: keyOf(id), Body: "cut off" }));
  await note(body.id, at);
  await note(fresh, new Date());
  await cutOff(fresh);
  const swept = async (): Promise<number> => {
    await note(lost, at);
    await cutOff(lost);
    return (await invokeOperation<{ uploads: number }>("sweep-files", {})).uploads;
  };
  // The recurring run of the job may be the first to find it.
  await expect.poll(swept).toBeGreaterThanOrEqual(1);
  expect((await filesOf(organizationId)).map((key) => key.split("/")[2])).toEqual([fresh, body.id]);
  expect((await notes.find({ organization_id: organizationId }).toArray()).map((note) => note.document_id)).toEqual([
    fresh,
  ]);
  await client.close();
});

const makeDue = async (organizationId: string): Promise<void> => {
  const client = await databaseClient();
  const notes = client.db("base").collection<Note>("file_sweep");
  await notes.updateMany({ organization_id: organizationId }, { $set: { at: new Date(Date.now() - 3_600_000) } });
  await client.close();
};

const isNoted = async (organizationId: string): Promise<boolean> => {
  const client = await databaseClient();
  const note = await client.db("base").collection<Note>("file_sweep").findOne({ _id: organizationId });
  await client.close();
  return note !== null;
};

test("a refreshed and a deleted sandbox keep no files, and production keeps its own", async () => {
  const { token, organizationId } = await registerOrganization();
  await upload(token, { expect: 201 });
  const { create, refresh, remove, enter } = sandboxSteps(http);
  const { id } = await create(token, "files");
  expect(await filesOf(id)).toEqual([]);
  const old = await upload(await enter(token, id), { expect: 201 });
  expect(await filesOf(id)).toHaveLength(1);
  await refresh(token, "files");
  const inside = await enter(token, id);
  expect((await download(inside, old.body.id)).status).toBe(404);
  const { body: kept } = await upload(inside, { expect: 201 });
  // The job leaves what is younger than ten minutes, because its document may still be written, and comes back for it.
  await makeDue(id);
  await invokeOperation("sweep-files", {});
  expect((await download(inside, kept.id)).status).toBe(200);
  const young = `documents/${id}/${old.body.id}`;
  expect(await filesOf(id)).toContain(young);
  expect(await isNoted(id)).toBe(true);
  await s3.send(new DeleteObjectCommand({ Bucket, Key: young }));
  await invokeOperation("sweep-files", {});
  // The recurring run of the job may be the one that does it.
  await expect.poll(() => isNoted(id)).toBe(false);
  await remove(token, "files");
  await makeDue(id);
  await invokeOperation("sweep-files", {});
  await expect.poll(() => filesOf(id)).toEqual([]);
  expect(await filesOf(organizationId)).toHaveLength(1);
}, 300_000);
