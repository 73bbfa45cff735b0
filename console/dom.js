// Elements whose content is text only: what is shown comes from requests, and is never read as HTML.

/** `props`: attributes; `on` has listeners, `text` replaces children. A false value leaves an attribute out. */
export function create(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'on') for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === 'text') element.textContent = String(value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export class CallError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Rejects with a CallError. */
export async function call(path, query = {}, method = 'GET', headers = {}) {
  const parameters = new URLSearchParams(query).toString();
  const response = await fetch(`/console/api/${path}${parameters === '' ? '' : `?${parameters}`}`, {
    method,
    headers: { ...headers, 'x-lintel-console': '1' },
  });
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new CallError(response.status, body.message ?? body.detail ?? `Status ${response.status}`);
  return body;
}

export function announce(text) {
  document.getElementById('status').textContent = text;
}

/** Runs the work of a button and says why it fails. */
export const attempt = (work) => () => {
  void Promise.resolve()
    .then(work)
    .catch((error) => announce(error.message));
};

export const button = (text, work, props = {}) =>
  create('button', { type: 'button', ...props, on: { click: attempt(work) }, text });

export const formatTime = (instant) => new Date(instant).toLocaleTimeString(undefined, { hour12: false });

export const formatMs = (value) => (value === null || value === undefined ? '-' : `${Math.round(value * 10) / 10} ms`);

/** A link that opens the place in the editor, or its text. Only links of this scheme are followed. */
export function showPlace(place) {
  if (!place) return null;
  const text = `${place.file}:${place.line}`;
  if (!place.link?.startsWith('vscode://file/')) return create('code', { text });
  return create('a', { href: place.link, class: 'place', title: 'Open in the editor', text });
}

export const showJson = (value) =>
  create('pre', { tabindex: '0', role: 'group', 'aria-label': 'JSON', text: JSON.stringify(value, null, 2) ?? 'none' });

/** `columns`: name and title, with `show` for other content than text. */
export function createTable(caption, columns, rows, rowProps = () => ({})) {
  const head = columns.map(({ title, sort, header }) =>
    create('th', { scope: 'col', 'aria-sort': sort }, header ?? title),
  );
  const body = rows.map((row) =>
    create(
      'tr',
      rowProps(row),
      columns.map(({ name, show }) => create('td', {}, show === undefined ? formatCell(row[name]) : show(row))),
    ),
  );
  return create(
    'div',
    { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': caption },
    create(
      'table',
      {},
      create('caption', { text: caption }),
      create('thead', {}, create('tr', {}, head)),
      create('tbody', {}, body),
    ),
  );
}

export function formatCell(value) {
  if (value === null || value === undefined) return create('span', { class: 'dim', text: '-' });
  if (typeof value === 'object') return 'link' in value ? showPlace(value) : JSON.stringify(value);
  return String(value);
}
