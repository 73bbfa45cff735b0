// Panes: tables and fields of whatever the server knows.
import { announce, button, call, create, createTable, formatCell, showJson } from './dom.js';

const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Content of a cell by pane and column, where it is more than text. */
const CELLS = {
  'definitions id': (value) =>
    create('a', { href: `#/definitions/${encodeURIComponent(value)}`, 'data-row': value, text: value }),
  'calls request': (value) => create('a', { href: `#/requests/${value}`, 'data-row': value, text: value }),
  'data table': (value, { store }) =>
    create('a', {
      href: `#/data/${encodeURIComponent(value)}?${new URLSearchParams({ store })}`,
      'data-row': value,
      text: value,
    }),
};

export async function showPane(id, state) {
  const element = create('div', {});
  const context = { state, draw, detail: create('section', { 'aria-label': 'Detail' }) };
  async function draw() {
    const { title, content } = await call('pane', { id });
    element.replaceChildren(
      create(
        'div',
        { class: 'tools' },
        create('h2', { text: title }),
        button('Read again (r)', draw, { 'aria-keyshortcuts': 'r' }),
        createPaneActions(id, context),
      ),
      ...describeContent(id, content, context),
      context.detail,
    );
  }
  await draw();
  return { element };
}

function describeContent(id, content, context) {
  if (!isRecord(content)) return [showJson(content)];
  return Object.entries(content).map(([name, value]) => {
    if (Array.isArray(value) && value.every(isRecord)) return describeRows(id, name, value, context);
    if (isRecord(value)) return describeFields(name, value);
    return describeFields(name, { [name]: value });
  });
}

function describeRows(id, name, rows, context) {
  const [first] = rows;
  if (first === undefined) return create('p', { class: 'dim', text: `${name}: none` });
  const columns = Object.keys(first).map((column) => {
    const show = CELLS[`${id} ${column}`];
    return { title: column, name: column, ...(show && { show: (row) => show(row[column], row) }) };
  });
  if (id === 'jobs') columns.push({ title: 'actions', show: (job) => createJobActions(job, context) });
  if (id === 'schedules' && context.state.isWritable)
    columns.push({ title: 'actions', show: ({ key }) => createRunButton(key, context) });
  return createTable(`${name}: ${rows.length}`, columns, rows);
}

const createRunButton = (key, { draw }) =>
  button(
    'Run now',
    async () => {
      await call('schedules/run', { key }, 'POST');
      announce('The run has started; the pane "Requests" shows it.');
      await draw();
    },
    { 'aria-label': `Run now: ${key}` },
  );

/** Above the tables of a pane. */
const createPaneActions = (id, { state, draw }) =>
  id === 'jobs' && state.isWritable
    ? button('Remove all dead jobs', async () => {
        const { removed } = await call('jobs/purge-dead', {}, 'POST');
        announce(`Removed: ${removed}`);
        await draw();
      })
    : null;

function createJobActions({ id, state: how }, { state, draw, detail }) {
  const change = (path, done) => async () => {
    await call(path, { id }, 'POST');
    announce(done);
    await draw();
  };
  return create(
    'span',
    {},
    button('Show', async () => detail.replaceChildren(showJson(await call('job', { id }))), {
      'aria-label': `Show ${id}`,
    }),
    state.isWritable && how === 'dead'
      ? button('Retry', change('jobs/retry', 'The job runs again.'), { 'aria-label': `Retry ${id}` })
      : null,
    state.isWritable && how !== 'running'
      ? button('Remove', change('jobs/purge', 'The job is removed.'), { 'aria-label': `Remove ${id}` })
      : null,
  );
}

const describeFields = (name, fields) =>
  create(
    'section',
    { 'aria-label': name },
    create('h3', { text: name }),
    create(
      'dl',
      {},
      Object.entries(fields).flatMap(([key, value]) => [
        create('dt', { text: key }),
        create('dd', {}, formatCell(value)),
      ]),
    ),
  );
