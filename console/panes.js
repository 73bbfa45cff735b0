// Panes: tables and fields of whatever the server knows, and rows of a table.
import { announce, button, call, create, createTable, formatCell, showJson } from './dom.js';

const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Content of a cell by pane and column, where it is more than text. */
const CELLS = {
  'definitions id': (value) =>
    create('a', { href: `#/definitions/${encodeURIComponent(value)}`, 'data-row': value, text: value }),
  'data table': (value) => create('a', { href: `#/data/${encodeURIComponent(value)}`, 'data-row': value, text: value }),
};

export async function showPane(id, state) {
  const element = create('div', {});
  async function draw() {
    const { title, content } = await call('pane', { id });
    element.replaceChildren(
      create(
        'div',
        { class: 'tools' },
        create('h2', { text: title }),
        button('Read again (r)', draw, { 'aria-keyshortcuts': 'r' }),
      ),
      ...describeContent(id, content, { state, draw, detail }),
      detail,
    );
  }
  const detail = create('section', { 'aria-label': 'Detail' });
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
    return { title: column, name: column, ...(show && { show: (row) => show(row[column]) }) };
  });
  if (id === 'jobs') columns.push({ title: 'actions', show: (job) => createJobActions(job, context) });
  return createTable(`${name}: ${rows.length}`, columns, rows);
}

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

/** Rows of one table: filter, order, pages, and links along references. */
export async function showData(table, query) {
  const asked = Object.fromEntries(
    ['sort', 'column', 'contains', 'equals', 'page'].flatMap((name) =>
      query.has(name) ? [[name, query.get(name)]] : [],
    ),
  );
  const { columns, rows, hasMore, page, took } = await call('data', { table, ...asked });
  const go = (changes) => {
    const next = { ...asked, ...changes };
    const kept = Object.entries(next).filter(([, value]) => value !== '' && value !== undefined);
    location.hash = `#/data/${encodeURIComponent(table)}?${new URLSearchParams(kept)}`;
  };
  const open = columns.filter(({ isOpen }) => isOpen);
  const column = create(
    'select',
    { id: 'column' },
    open.map(({ name }) => create('option', { value: name, text: name })),
  );
  column.value = asked.column ?? open[0]?.name ?? '';
  const text = create('input', {
    id: 'text',
    type: 'search',
    value: asked.contains ?? asked.equals ?? '',
    'aria-keyshortcuts': '/',
  });
  const form = create(
    'form',
    {
      class: 'tools',
      on: {
        submit: (event) => {
          event.preventDefault();
          go({ column: column.value, contains: text.value, equals: '', page: '' });
        },
      },
    },
    create('label', { for: 'column', text: 'Column' }),
    column,
    create('label', { for: 'text', text: 'contains' }),
    text,
    create('button', { type: 'submit', text: 'Filter' }),
  );
  const isSorted = (name) => (asked.sort === name ? 'ascending' : asked.sort === `-${name}` ? 'descending' : null);
  const shown = columns.map(({ name, type, isOpen, references }) => ({
    name,
    title: name,
    sort: isSorted(name),
    header: isOpen
      ? button(`${name} ${type}`, () => go({ sort: asked.sort === name ? `-${name}` : name, page: '' }))
      : `${name} ${type}`,
    ...(references && {
      show: (row) =>
        row[name] === null
          ? formatCell(null)
          : create('a', {
              href: `#/data/${encodeURIComponent(references.table)}?${new URLSearchParams({ column: references.column, equals: row[name] })}`,
              text: String(row[name]),
            }),
    }),
  }));
  return {
    element: create(
      'div',
      {},
      create('h2', { text: table }),
      form,
      createTable(`${rows.length} rows in ${took} ms`, shown, rows),
      create(
        'div',
        { class: 'tools' },
        button('Previous', () => go({ page: String(page - 1) }), { disabled: page === 0 }),
        create('span', { text: `Page ${page + 1}` }),
        button('Next', () => go({ page: String(page + 1) }), { disabled: !hasMore }),
      ),
    ),
  };
}
