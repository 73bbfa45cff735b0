// Requests as they happen, and one of them in full.
import { announce, button, call, create, createTable, formatMs, formatTime, showJson, showPlace } from './dom.js';

/** Rows that are shown; the server may hold more. */
const MOST_ROWS = 500;

const lookOf = (status) => (status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good');

/** Words of the filter: all have to be part of a row. */
const isWanted = (row, words, onlyFailed) =>
  (!onlyFailed || row.status >= 400) &&
  words.every((word) =>
    `${row.trigger} ${row.method ?? ''} ${row.path ?? ''} ${row.resource ?? ''} ${row.status} ${row.code ?? ''}`
      .toLowerCase()
      .includes(word),
  );

export async function showRequests(state, selected) {
  const rows = [];
  let number = selected;
  let isPaused = false;
  const filter = create('input', {
    id: 'filter',
    type: 'search',
    placeholder: 'wallet 422',
    'aria-keyshortcuts': '/',
    on: { input: () => draw() },
  });
  const failed = create('input', { id: 'failed', type: 'checkbox', on: { change: () => draw() } });
  const paused = create('input', {
    id: 'paused',
    type: 'checkbox',
    on: {
      change: () => {
        isPaused = paused.checked;
        draw();
      },
    },
  });
  const list = create('div', { class: 'list' });
  const detail = create('section', { class: 'detail', 'aria-label': 'Request' });
  const clear = button('Clear', async () => {
    await call('clear', {}, 'POST');
    rows.length = 0;
    draw();
  });

  const columns = [
    { title: 'Time', show: (row) => formatTime(row.startedAt) },
    {
      title: 'Request',
      show: (row) =>
        create('a', {
          href: `#/requests/${row.number}`,
          'data-row': row.number,
          'aria-current': String(row.number) === number ? 'true' : null,
          text: `${row.method ?? row.trigger} ${row.path ?? '-'}${row.attempt > 1 ? ` (attempt ${row.attempt})` : ''}`,
        }),
    },
    {
      title: 'Status',
      show: (row) =>
        create('span', { class: lookOf(row.status), text: `${row.status}${row.code === null ? '' : ` ${row.code}`}` }),
    },
    { title: 'Took', show: (row) => formatMs(row.milliseconds) },
  ];
  let frame = 0;
  function draw() {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      const shown = rows.filter((row) => isWanted(row, words, failed.checked)).reverse();
      const focused = document.activeElement?.dataset?.row;
      list.replaceChildren(
        createTable(`Requests: ${shown.length}`, columns, shown, (row) => ({
          class: String(row.number) === number ? 'selected' : null,
        })),
      );
      if (focused !== undefined) list.querySelector(`[data-row="${CSS.escape(focused)}"]`)?.focus();
    });
  }

  async function showDetail() {
    if (number === '') {
      detail.replaceChildren(create('p', { class: 'dim', text: 'Choose a request. Keys: / filters, j and k move.' }));
      return;
    }
    try {
      const request = await call('request', { number });
      if (String(request.number) === number) detail.replaceChildren(...describeRequest(request, state));
    } catch (error) {
      detail.replaceChildren(create('p', { class: 'bad', text: error.message }));
    }
  }

  function add(some) {
    const known = new Set(rows.map((row) => row.number));
    rows.push(...some.filter((row) => !known.has(row.number)));
    rows.sort((one, other) => one.number - other.number);
    rows.splice(0, Math.max(0, rows.length - MOST_ROWS));
    if (!isPaused) draw();
  }
  const events = new EventSource('/console/events');
  // Those before the stream began, also after it was cut off.
  events.addEventListener('open', () => void call('requests').then(({ requests }) => add(requests)));
  events.addEventListener('message', ({ data }) => add(JSON.parse(data)));
  draw();
  await showDetail();
  return {
    element: create(
      'div',
      { class: 'split' },
      create(
        'div',
        {},
        create(
          'div',
          { class: 'tools' },
          create('label', { for: 'filter', text: 'Filter' }),
          filter,
          create('label', {}, failed, ' only failures'),
          create('label', {}, paused, ' pause'),
          clear,
        ),
        list,
      ),
      detail,
    ),
    update(rest) {
      number = rest;
      draw();
      void showDetail();
      return true;
    },
    close: () => events.close(),
  };
}

function describeRequest(request, state) {
  const { method, trigger, target, path, status, code, problem, stages, steps, messages, answer } = request;
  const title = create('h2', { text: `${method ?? trigger} ${target ?? path ?? '-'}` });
  const facts = createFacts({
    status: create('span', { class: lookOf(status), text: `${status}${code === null ? '' : ` ${code}`}` }),
    took: formatMs(request.milliseconds),
    at: new Date(request.startedAt).toISOString(),
    id: request.id,
    resource: request.resource ?? '-',
    definition: showPlace(request.place) ?? '-',
  });
  return [
    title,
    facts,
    ...createActions(request, state),
    ...(problem === null ? [] : [describeProblem(problem)]),
    create('h3', { text: 'Stages' }),
    stages.length === 0
      ? create('p', { class: 'dim', text: 'No actionable has run.' })
      : create(
          'ol',
          { class: 'stages' },
          stages.map((stage) => describeStage(stage, request.milliseconds)),
        ),
    ...(steps.length === 0
      ? []
      : [
          createTable(
            'Steps that took time',
            [
              { title: 'Field', name: 'field' },
              { title: 'Actionable', name: 'action' },
              { title: 'Took', show: (step) => formatMs(step.milliseconds) },
            ],
            steps,
          ),
        ]),
    ...(messages.length === 0 ? [] : [create('h3', { text: 'Messages' }), showJson(messages)]),
    create('h3', { text: 'Payload' }),
    showJson(request.payload),
    ...(request.claims === null ? [] : [create('h3', { text: 'Claims' }), showJson(request.claims)]),
    create('h3', { text: 'Headers' }),
    showJson(request.headers),
    ...(answer === undefined ? [] : [create('h3', { text: 'Response' }), showJson(answer)]),
  ];
}

const createFacts = (facts) =>
  create(
    'dl',
    {},
    Object.entries(facts).flatMap(([name, value]) => [create('dt', { text: name }), create('dd', {}, value)]),
  );

function describeProblem({ code, message, cause, issues, action, field, place }) {
  return create(
    'div',
    { class: 'problem' },
    create('h3', { text: code }),
    create('p', { text: message }),
    cause === null ? null : create('pre', { tabindex: '0', role: 'group', 'aria-label': 'Cause', text: cause }),
    issues.length === 0
      ? null
      : create(
          'ul',
          {},
          issues.map((one) => create('li', { text: `${one.pointer} ${one.code}` })),
        ),
    create('p', {}, `${[action, field].filter(Boolean).join(' · ') || 'resource'} `, showPlace(place)),
  );
}

function describeStage(stage, whole) {
  const { key, mode, begins, milliseconds, code, sent, rows, endedBy, types, transaction, place } = stage;
  const bar = create('div', { class: code === null ? 'bar' : 'bar failed', 'aria-hidden': 'true' });
  const part = Math.max(whole, 0.01);
  bar.style.setProperty('--begin', String(Math.min(begins / part, 0.99)));
  bar.style.setProperty('--share', String(Math.min(Math.max(milliseconds / part, 0.01), 1)));
  const { sql, values, connection, ...rest } = sent ?? {};
  const words = [
    `${mode}, ${formatMs(milliseconds)}, after ${formatMs(begins)}`,
    ...(rows === null ? [] : [`${rows} row${rows === 1 ? '' : 's'}`]),
    ...(endedBy === null ? [] : [`ended by ${endedBy}`]),
    ...(code === null ? [] : [code]),
    ...(connection === undefined ? [] : [`connection ${connection}`]),
  ];
  return create(
    'li',
    {},
    create('div', { class: 'stage' }, create('strong', { text: key }), ` ${words.join(' · ')} `, showPlace(place)),
    create('div', { class: 'track' }, bar),
    sql === undefined ? null : create('pre', { tabindex: '0', role: 'group', 'aria-label': 'Statement', text: sql }),
    values === undefined
      ? null
      : createTable(
          'Values',
          [
            { title: 'Parameter', name: 'name' },
            { title: 'Type', name: 'type' },
            { title: 'Value', show: ({ value }) => JSON.stringify(value) },
          ],
          Object.entries(values).map(([name, value], at) => ({ name, value, type: types[at] ?? null })),
        ),
    Object.keys(rest).length === 0 ? null : showJson(rest),
    transaction === null
      ? null
      : create('p', { class: 'dim', text: `Transaction: ${Object.values(transaction).join(' · ')}` }),
  );
}

/** What can be done with the request; in `lintel dev` only. */
function createActions({ number, obstacle }, { isDev }) {
  if (!isDev) return [];
  if (obstacle !== null) return [create('p', { class: 'dim', text: obstacle })];
  const replay = async () => {
    const { method, path, headers, body } = await call('replay', { number }, 'POST');
    const response = await fetch(path, { method, headers, body, credentials: 'omit' });
    announce(`Sent again: ${response.status}`);
  };
  const copy = async () => {
    const { text } = await call('curl', { number });
    await navigator.clipboard.writeText(text);
    announce('Copied.');
  };
  const save = async () => {
    announce('The cases run …');
    announce((await call('save', { number }, 'POST')).message);
  };
  return [
    create(
      'div',
      { class: 'tools' },
      button('Send again (r)', replay, { 'aria-keyshortcuts': 'r' }),
      button('Copy as curl (c)', copy, { 'aria-keyshortcuts': 'c' }),
      button('Save as a test (t)', save, { 'aria-keyshortcuts': 't' }),
    ),
  ];
}
