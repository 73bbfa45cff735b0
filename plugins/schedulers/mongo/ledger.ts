/** The ledger in MongoDB: a document per schedule and recent instant, with a unique `_id` that decides which process runs it. */
import { MongoServerError, type Collection, type Document } from 'mongodb';
import { RETENTION_MS, type Ledger } from '../kind.js';

export interface ScheduleDocument {
  readonly _id: string;
  readonly form?: string;
  readonly latest?: number;
  readonly forgotten?: number;
  readonly running?: number | null;
  readonly until?: number;
  readonly skipped?: number;
  /** The last claimant: a repeated claim by it changes nothing. */
  readonly decidedBy?: string;
}

export interface InstantDocument {
  readonly _id: string;
  readonly key: string;
  readonly instant: number;
  readonly by: string;
}

export interface Collections {
  readonly schedules: Collection<ScheduleDocument>;
  readonly instants: Collection<InstantDocument>;
}

const isDuplicate = (error: unknown): boolean => error instanceof MongoServerError && error.code === 11_000;
/** Text from a definition must not act as an operator or a path in a pipeline. */
const literal = (value: string): Document => ({ $literal: value });

/** Server time, so that one clock measures all leases. */
const NOW: Document = { $toLong: '$$NOW' };
const IS_BUSY: Document = {
  $and: [{ $ne: [{ $ifNull: ['$running', null] }, null] }, { $gt: [{ $ifNull: ['$until', 0] }, NOW] }],
};

/** Takes the schedule unless its lease is held; a repeated claim changes nothing. */
function createClaimUpdate(instant: number, lease: number, by: string): Document[] {
  const isUndecided = { $ne: [{ $ifNull: ['$decidedBy', ''] }, literal(by)] };
  const setUnlessBusy = (field: string, otherwise: unknown, taken: unknown): Document => ({
    $cond: [{ $and: [isUndecided, { $not: IS_BUSY }] }, taken, { $ifNull: [`$${field}`, otherwise] }],
  });
  return [
    {
      $set: {
        latest: { $max: ['$latest', instant] },
        skipped: { $add: [{ $ifNull: ['$skipped', 0] }, { $cond: [{ $and: [isUndecided, IS_BUSY] }, 1, 0] }] },
        running: setUnlessBusy('running', null, instant),
        until: setUnlessBusy('until', 0, { $add: [NOW, lease] }),
        decidedBy: literal(by),
      },
    },
  ];
}

/** `ready`: creates the index first. */
export function createMongoLedger(ready: () => Promise<Collections>): Ledger {
  return {
    async claimRun(key, instant, lease, by) {
      const { schedules, instants } = await ready();
      const _id = `${key}@${instant}`;
      const forgotten = await schedules.findOne({ _id: key, forgotten: { $gte: instant } });
      if (forgotten !== null) return 'taken';
      try {
        await instants.insertOne({ _id, key, instant, by });
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        if ((await instants.findOne({ _id, by })) === null) return 'taken';
      }
      const claimed = await schedules.findOneAndUpdate({ _id: key }, createClaimUpdate(instant, lease * 1000, by), {
        upsert: true,
        returnDocument: 'after',
      });
      return claimed?.running === instant ? 'mine' : 'busy';
    },

    async renewClaim(key, instant, lease) {
      const { schedules } = await ready();
      const until = { $add: [NOW, lease * 1000] };
      const { matchedCount } = await schedules.updateOne({ _id: key, running: instant }, [{ $set: { until } }]);
      return matchedCount === 1;
    },

    async finishRun(key, instant) {
      const { schedules, instants } = await ready();
      await schedules.updateOne({ _id: key, running: instant }, { $set: { running: null, until: 0 } });
      const old = { key, instant: { $lt: instant - RETENTION_MS } };
      const gone = await instants.findOne(old, { sort: { instant: -1 } });
      if (gone === null) return;
      // Recorded first, so that a late claim is always rejected.
      await schedules.updateOne({ _id: key }, { $max: { forgotten: gone.instant } });
      await instants.deleteMany({ key, instant: { $lte: gone.instant } });
    },

    async resolveLatest(key, form, since) {
      const { schedules } = await ready();
      const known = { $ifNull: ['$latest', since] };
      const isSame = { $eq: [{ $ifNull: ['$form', ''] }, literal(form)] };
      const latest = { $cond: [isSame, known, { $max: [known, since] }] };
      const found = await schedules.findOneAndUpdate({ _id: key }, [{ $set: { latest, form: literal(form) } }], {
        upsert: true,
        returnDocument: 'after',
      });
      return found?.latest ?? since;
    },

    async countSkipped(key) {
      const { schedules } = await ready();
      return (await schedules.findOne({ _id: key }))?.skipped ?? 0;
    },
  };
}
