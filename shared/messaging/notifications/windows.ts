import type { ClientSession } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { type DeliverNotification, deliverNotification } from "#contracts/notification-messages";
import { atExpression, SCHEDULED_TIME, scheduleName } from "#shared/foundation/aws/scheduler";
import { nowMillis } from "#shared/foundation/clock";
import { log } from "#shared/foundation/log";
import { addToOutbox, DIGEST_COLLECTION, messageFor, type NewEntry, type TenantDatabase } from "#shared/tenant/tenant";

/** The kind of their schedules. */
const DIGEST_KIND = "digest";

/** Deliveries of one window that are listed. More are counted. */
const MOST_LISTED = 50;

/** What waits, without its recipients. */
type Waiting = Omit<DeliverNotification, "recipients" | "send_at">;

/**
 * Deliveries that wait for the same moment: those to one user for the end of their quiet hours or their digest, or
 * those of one request for its `send_at`. `_id` says which.
 */
interface Window {
  _id: string;
  /** When they are sent. */
  due: Date;
  /** A schedule for an earlier window of the same name does nothing. */
  revision: string;
  recipients: DeliverNotification["recipients"];
  /** Of several, only what a summary needs is kept of the later ones. */
  waiting: Waiting[];
  count: number;
  /** Of all of them. */
  channels?: Waiting["channels"];
  platforms?: Waiting["platforms"];
}

const windowsOf = ({ collection }: Pick<TenantDatabase, "collection">) => collection<Window>(DIGEST_COLLECTION);

const scheduleOf = (organization: string, { _id, revision, due }: Window): NewEntry => ({
  schedule: {
    action: "put",
    name: scheduleName(organization, DIGEST_KIND, _id),
    revision,
    expression: atExpression(due),
    input: { organization, kind: DIGEST_KIND, id: _id, revision, scheduled_time: SCHEDULED_TIME },
  },
});

/** Adds a delivery to a window, in the transaction of the message that brings it. Gives the window's revision. */
export const addToWindow = async (
  database: TenantDatabase,
  { id, due, recipients, waiting }: Pick<Window, "due" | "recipients"> & { id: string; waiting: Waiting },
  session: ClientSession,
): Promise<string> => {
  const windows = windowsOf(database);
  const known = await windows.findOne({ _id: id }, { session, projection: { count: 1, revision: 1 } });
  const { channels, platforms } = waiting;
  if (known === null) {
    const revision = uuidv7();
    const fresh: Window = { _id: id, due, revision, recipients, waiting: [waiting], count: 1, channels, platforms };
    await windows.insertOne(fresh, { session });
    await addToOutbox(database, session, [scheduleOf(database.organization_id, fresh)]);
    return revision;
  }
  const { content, ...others } = waiting;
  const { html: _, ...short } = content;
  const listed = { ...others, content: { ...short, body: short.body.slice(0, 200), data: {} } };
  await windows.updateOne(
    { _id: id },
    {
      $inc: { count: 1 },
      $addToSet: { channels: { $each: channels }, platforms: { $each: platforms } },
      ...(known.count < MOST_LISTED && { $push: { waiting: listed } }),
    },
    { session },
  );
  return known.revision;
};

const summaryOf = ({ waiting, count, channels = [], platforms = [] }: Window): Waiting => {
  const lines = waiting.map(({ content: { title, body } }) => (body === "" ? `• ${title}` : `• ${title}: ${body}`));
  const left = count - waiting.length;
  const first = waiting[0];
  if (first === undefined) throw new Error("A window without deliveries was kept.");
  return {
    by: first.by,
    content: {
      title: `${count} notifications`,
      body: [...lines, ...(left > 0 ? [`and ${left} more`] : [])].join("\n").slice(0, 10_000),
      type: "digest",
      data: { count },
      urgent: false,
    },
    // A window that an earlier release has made names them with what waits.
    channels: [...new Set([...channels, ...waiting.flatMap((one) => one.channels)])],
    platforms: [...new Set([...platforms, ...waiting.flatMap((one) => one.platforms)])],
    digest: "none",
    decided: true,
  };
};

/**
 * Sends what has waited in a window: a single delivery as it is, several as a summary. Of any number of calls for a
 * window one does it. False if there is nothing to do.
 */
export const openWindow = (database: TenantDatabase, id: string, revision: string): Promise<boolean> =>
  database.transaction(async (session) => {
    const window = await windowsOf(database).findOneAndDelete({ _id: id, revision }, { session });
    if (window === null) return false;
    const [only] = window.waiting;
    const single = window.count === 1 && only !== undefined;
    const sent = single ? only : summaryOf(window);
    const recipients = window.recipients.map((one) =>
      single && one.window === undefined ? one : { user: one.user, window: revision },
    );
    await addToOutbox(database, session, [messageFor(deliverNotification, { ...sent, digest: "none", recipients })]);
    return true;
  });

/** Longer than a schedule is late. */
const ON_ITS_WAY_MS = 10 * 60_000;

/** Opens windows whose schedule was lost. Gives their number, and whether others wait. One that fails is logged. */
export const openOverdueWindows = async (database: TenantDatabase): Promise<{ opened: number; isLeft: boolean }> => {
  const windows = windowsOf(database);
  if ((await windows.findOne({}, { projection: { _id: 1 } })) === null) return { opened: 0, isLeft: false };
  await windows.createIndex({ due: 1 });
  const overdue = await windows
    .find({ due: { $lt: new Date(nowMillis() - ON_ITS_WAY_MS) } }, { projection: { revision: 1 }, limit: 1_000 })
    .toArray();
  let opened = 0;
  for (const { _id, revision } of overdue) {
    try {
      if (await openWindow(database, _id, revision)) opened += 1;
    } catch (error) {
      log.error({ organization: database.organization_id, window: _id, err: error }, "a window was not opened");
    }
  }
  const isLeft = (await windows.findOne({}, { projection: { _id: 1 } })) !== null;
  return { opened, isLeft };
};
