/** The calls of the page, by method and path. Changes exist only in `lintel dev`, or where the config enables them. */
import type { Recorder, Recording, RecordingSummary } from '../../contract/console.js';
import type { JobAdmin } from '../../contract/deferred.js';
import type { Json } from '../../contract/json.js';
import type { RouteRequest } from '../../contract/route.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import { changeRow, readChange } from './change-row.js';
import { readTable, type CallReply } from './data.js';
import { listPanes, readDefinition, readJob, type Pane } from './panes.js';
import { createReplay, describeRecording, findReplayObstacle, formatReplayCurl } from './requests.js';
import { saveAsTest } from './save-test.js';

export type ConsoleCall = (query: URLSearchParams, request: RouteRequest) => CallReply | Promise<CallReply>;

export interface ConsoleCalls {
  /** Null where there is no such call. */
  find(method: string, path: string): ConsoleCall | null;
}

/** A row of the list. */
export const formatSummary = ({ target, ...rest }: RecordingSummary): object => ({
  ...rest,
  path: target ?? rest.path,
});

const createRefusal = (status: number, message: string): CallReply => ({ status, body: { message } });
const GONE = createRefusal(404, 'The request is no longer recorded.');

export function createConsoleCalls(kernel: Kernel, recorder: Recorder, isDev: boolean): ConsoleCalls {
  const panes = listPanes(kernel, recorder, isDev);
  const isWritable = isDev || recorder.isWritable;
  let isSaving = false;

  /** Finds what `number` names. */
  const withRecording =
    (work: (recording: Recording, request: RouteRequest) => CallReply | Promise<CallReply>): ConsoleCall =>
    (query, request) => {
      const recording = recorder.find(Number(query.get('number')));
      return recording === null ? GONE : work(recording, request);
    };

  const withReplay = (work: (recording: Recording, request: RouteRequest) => Promise<CallReply>): ConsoleCall =>
    withRecording((recording, request) => {
      const obstacle = findReplayObstacle(recording);
      return obstacle === null ? work(recording, request) : createRefusal(409, obstacle);
    });

  const changeJob =
    (work: (admin: JobAdmin, id: string) => Promise<boolean>, refusal: string): ConsoleCall =>
    async (query) => {
      const id = query.get('id') ?? '';
      for (const admin of kernel.listJobAdmins()) if (await work(admin, id)) return { body: { done: true } };
      return createRefusal(409, refusal);
    };

  const calls: Record<string, ConsoleCall> = {
    'GET api/state': () => ({
      body: {
        isDev,
        isWritable,
        limits: recorder.limits,
        panes: panes.map(({ id, title }) => ({ id, title })),
        resources: kernel.plans().byId.size,
        problems: kernel.problems().length,
      },
    }),
    'GET api/requests': () => ({
      body: { requests: recorder.list().map(formatSummary), bytes: recorder.bytes },
    }),
    'GET api/request': withRecording((recording) => ({ body: describeRecording(kernel, recording, isDev) })),
    'POST api/clear': () => {
      recorder.clear();
      return { body: { done: true } };
    },
    'GET api/pane': async (query) => {
      const pane = panes.find(({ id }) => id === query.get('id'));
      return pane === undefined ? createRefusal(404, 'There is no such pane.') : { body: await readPane(pane) };
    },
    'GET api/definition': async (query) => {
      const found = await readDefinition(kernel, query.get('id') ?? '', isDev);
      return found === null ? createRefusal(404, 'There is no such resource.') : { body: found };
    },
    'GET api/data': (query) => readTable(kernel, query),
    'GET api/job': async (query) => {
      const found = await readJob(kernel, query.get('id') ?? '');
      return found === null ? createRefusal(404, 'There is no such job.') : { body: found };
    },
  };
  if (isWritable) {
    calls['POST api/jobs/retry'] = changeJob((admin, id) => admin.retry(id), 'Only a dead job can be retried.');
    calls['POST api/jobs/purge'] = changeJob(
      async (admin, id) => (await admin.purge({ id })) > 0,
      'A job that is running cannot be removed.',
    );
    calls['POST api/jobs/purge-dead'] = async () => {
      let removed = 0;
      for (const admin of kernel.listJobAdmins()) removed += await admin.purge({ dead: true });
      return { body: { removed } };
    };
    calls['POST api/schedules/run'] = (query) => startSchedule(kernel, query.get('key') ?? '');
  }
  const createChange =
    (isConfirmed: boolean): ConsoleCall =>
    (_, request) => {
      const asked = readChange(request.header(CHANGE_HEADER)[0]);
      return asked === null ? createRefusal(400, 'The change cannot be read.') : changeRow(kernel, asked, isConfirmed);
    };
  if (isDev) {
    calls['POST api/data/check'] = createChange(false);
    calls['POST api/data/change'] = createChange(true);
    calls['GET api/curl'] = withReplay(async (recording, request) => {
      const replay = await createReplay(kernel, recording, true);
      return { body: { text: formatReplayCurl(replay, request.header('host')[0] ?? '') } };
    });
    calls['POST api/replay'] = withReplay(async (recording) => ({
      body: await createReplay(kernel, recording, true),
    }));
    calls['POST api/save'] = withReplay(async (recording) => {
      if (isSaving) return createRefusal(409, 'Another request is being saved.');
      isSaving = true;
      try {
        const { saved, message } = await saveAsTest(kernel, recording);
        return saved === null ? createRefusal(409, message) : { body: { ...saved, message } };
      } finally {
        isSaving = false;
      }
    });
  }
  return {
    find(method, path) {
      const name = `${method === 'HEAD' ? 'GET' : method} ${path}`;
      return Object.hasOwn(calls, name) ? (calls[name] ?? null) : null;
    },
  };
}

const CHANGE_HEADER = 'x-lintel-change';

async function startSchedule({ instances }: Kernel, key: string): Promise<CallReply> {
  for (const instance of instances) {
    const isStarted = (await instance.runtime.startSchedule?.(instance.handle(), key)) ?? null;
    if (isStarted === false) return createRefusal(409, 'The previous run is still active.');
    if (isStarted === true) return { body: { done: true } };
  }
  return createRefusal(404, 'There is no such schedule.');
}

/** A pane that fails does not hide the others. */
async function readPane(pane: Pane): Promise<{ readonly title: string; readonly content: Json }> {
  try {
    return { title: pane.title, content: await pane.read() };
  } catch (error) {
    return { title: pane.title, content: { failed: error instanceof Error ? error.message : String(error) } };
  }
}
