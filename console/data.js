// Rows of a table: filter, order, pages, links along references; in `lintel dev` also changes.
import { announce, button, call, create, createTable, formatCell } from './dom.js';

const showType = (type) => (type === null ? null : create('span', { class: 'type', text: ` ${type}` }));

/** Rows of one table: filter, order, pages, and links along references. */
export async function showData(table, query, { isDev }) {
  const asked = Object.fromEntries(
    ['store', 'sort', 'column', 'contains', 'equals', 'page'].flatMap((name) =>
      query.has(name) ? [[name, query.get(name)]] : [],
    ),
  );
  const { store, columns, rows, hasMore, page, took } = await call('data', { table, ...asked });
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
      ? create(
          'span',
          {},
          button(name, () => go({ sort: asked.sort === name ? `-${name}` : name, page: '' })),
          showType(type),
        )
      : create('span', {}, name, showType(type)),
    ...(references && {
      show: (row) =>
        row[name] === null
          ? formatCell(null)
          : create('a', {
              href: `#/data/${encodeURIComponent(references.table)}?${new URLSearchParams({ store, column: references.column, equals: row[name] })}`,
              text: String(row[name]),
            }),
    }),
  }));
  const editor = create('section', { 'aria-label': 'Change' });
  const edit = (row) =>
    editor.replaceChildren(createEditor({ table, store, columns, row }, () => go({ at: Date.now() })));
  const isEditable = isDev && columns.some(({ isKey }) => isKey);
  if (isEditable)
    // In view, however wide the row is.
    shown.unshift({
      title: 'actions',
      show: (row) => button('Change', () => edit(row), { 'aria-label': `Change ${describeKey(columns, row)}` }),
    });
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
        isDev ? button('New row', () => edit(null)) : null,
      ),
      editor,
    ),
  };
}

const listKey = (columns, row) => columns.filter(({ isKey }) => isKey).map(({ name }) => [name, row[name]]);
const describeKey = (columns, row) =>
  listKey(columns, row)
    .map(([name, value]) => `${name} ${toText(value)}`)
    .join(', ');

const toText = (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** A change is checked before it can be saved. `row` null: a new one. */
function createEditor({ table, store, columns, row }, done) {
  const open = columns.filter(({ isOpen, isKey }) => isOpen && (row === null || !isKey));
  const fields = open.map(({ name, type }) => {
    const before = row?.[name] ?? null;
    const input = create('input', { id: `field-${name}`, value: before === null ? '' : toText(before) });
    const empty = create('input', { type: 'checkbox', 'aria-label': `${name} is null` });
    empty.checked = before === null;
    input.addEventListener('input', () => (empty.checked = false));
    const read = () => (empty.checked ? null : input.value);
    const isChanged = () => read() !== (before === null ? null : toText(before));
    const label = create('label', { for: input.id }, name, showType(type));
    return { name, isChanged, read, elements: [label, input, create('label', {}, empty, ' null')] };
  });
  const result = create('div', {});
  const describe = (kind) => ({
    kind,
    table,
    store,
    key: row === null ? {} : Object.fromEntries(listKey(columns, row)),
    values:
      kind === 'delete'
        ? {}
        : Object.fromEntries(fields.filter((one) => one.isChanged()).map(({ name, read }) => [name, read()])),
  });
  const send = (path, change) =>
    call(path, {}, 'POST', { 'x-lintel-change': encodeURIComponent(JSON.stringify(change)) });
  const check = (kind, title) => async () => {
    const change = describe(kind);
    const { violations, effects } = await send('data/check', change);
    const save = async () => {
      const saved = await send('data/change', change);
      if (!saved.done) throw new Error(saved.violations.map(({ message }) => message).join(' '));
      announce('The change is saved.');
      done();
    };
    const lines = [
      ...violations.map(({ column, message }) => [column, message].filter(Boolean).join(': ')),
      ...effects,
    ];
    result.replaceChildren(
      create('p', { text: violations.length > 0 ? 'The change violates:' : 'The change violates nothing.' }),
      ...(lines.length > 0
        ? [
            create(
              'ul',
              {},
              lines.map((text) => create('li', { text })),
            ),
          ]
        : []),
      ...(violations.length > 0 ? [] : [button(title, save)]),
    );
    result.scrollIntoView({ block: 'nearest' });
    announce(violations.length > 0 ? 'The change is not possible.' : 'Checked; nothing is saved yet.');
  };
  const title = row === null ? 'New row' : `Change ${describeKey(columns, row)}`;
  return create(
    'div',
    { class: 'band' },
    create('h3', { text: title }),
    create(
      'div',
      { class: 'fields' },
      fields.flatMap(({ elements }) => elements),
    ),
    create(
      'div',
      { class: 'tools' },
      button('Check', check(row === null ? 'insert' : 'update', 'Save')),
      row === null ? null : button('Check removal', check('delete', 'Remove the row')),
    ),
    result,
  );
}
