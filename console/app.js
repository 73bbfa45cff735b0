// The page: its panes by the fragment of the address, the keys, and the form for the token.
import { announce, attempt, call, CallError, create } from './dom.js';
import { showRequests } from './requests.js';
import { showData } from './data.js';
import { showPane } from './panes.js';
import { showDefinition } from './definitions.js';

const main = document.getElementById('main');
let state = null;
let leave = () => undefined;

const read = () => {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [pane = '', ...rest] = path.split('/').map(decodeURIComponent);
  return { pane: pane || 'requests', rest: rest.join('/'), query: new URLSearchParams(query) };
};

function showPanes(current) {
  const all = [{ id: 'requests', title: 'Requests' }, ...state.panes];
  const links = all.map(({ id, title }) =>
    create('a', { href: `#/${encodeURIComponent(id)}`, 'aria-current': id === current ? 'page' : null, text: title }),
  );
  document.getElementById('panes').replaceChildren(...links);
}

async function showCurrent() {
  const { pane, rest, query } = read();
  try {
    state ??= await call('state');
    showPanes(pane);
    if (leave.pane === pane && leave.update?.(rest, query)) return;
    leave();
    leave = () => undefined;
    announce('');
    const view = await open(pane, rest, query);
    main.replaceChildren(view.element);
    leave = Object.assign(() => view.close?.(), { pane, update: view.update });
  } catch (error) {
    if (error instanceof CallError && error.status === 401) showSignIn();
    else main.replaceChildren(create('p', { class: 'bad', text: error.message }));
  }
}

async function open(pane, rest, query) {
  if (pane === 'requests') return showRequests(state, rest);
  if (pane === 'definitions' && rest !== '') return showDefinition(rest);
  if (pane === 'data' && rest !== '') return showData(rest, query, state);
  return showPane(pane, state);
}

function showSignIn() {
  const input = create('input', { id: 'token', type: 'password', autocomplete: 'off', required: true });
  const send = async () => {
    const response = await fetch('/console/session', {
      method: 'POST',
      headers: { authorization: `Bearer ${input.value}` },
    });
    if (!response.ok) throw new Error('The token is another one.');
    await showCurrent();
  };
  const form = create(
    'form',
    {
      class: 'sign-in',
      on: {
        submit: (event) => {
          event.preventDefault();
          attempt(send)();
        },
      },
    },
    create('h2', { text: 'The console requires its token' }),
    create('p', { text: '`lintel dev` prints an address with the token; `lintel serve` has that of the config.' }),
    create('label', { for: 'token', text: 'Token' }),
    input,
    create('button', { type: 'submit', text: 'Open' }),
  );
  main.replaceChildren(form);
  input.focus();
}

/** One key without modifiers, outside of fields: the button or field that names it. */
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  if (event.key === 'j' || event.key === 'k') return moveFocus(event.key === 'j' ? 1 : -1);
  const target = document.querySelector(`[aria-keyshortcuts="${CSS.escape(event.key)}"]`);
  if (target === null) return;
  event.preventDefault();
  if (target instanceof HTMLButtonElement) target.click();
  else target.focus();
});

/** To the next or previous row with a link. */
function moveFocus(step) {
  const links = [...main.querySelectorAll('tbody a[data-row]')];
  const at = links.findIndex((link) => link === document.activeElement || link.ariaCurrent === 'true');
  const next = links[Math.min(Math.max(at + step, 0), links.length - 1)];
  next?.focus();
  next?.click();
}

document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener('hashchange', () => void showCurrent());
// The cookie holds the session; the token does not stay in the address.
if (location.search !== '') history.replaceState(null, '', location.pathname + location.hash);
void showCurrent();
