// The plan of a resource as a diagram: boxes in the order in which they run.
import { call, create, createTable, showPlace } from './dom.js';

const join = (names) => (names ?? []).map((name) => name.replaceAll('_', ' ')).join(', ');

export async function showDefinition(id) {
  const { plan, place, coverage } = await call('definition', { id });
  const box = (title, lines) =>
    create(
      'li',
      { class: 'box' },
      create('strong', { text: title }),
      lines.filter(Boolean).map((text) => create('div', { text })),
    );
  const bands = [
    createBand('Request', [box(`/${plan.path}`, [join(plan.admit)])]),
    ...(plan.check?.length ? [createBand('Checks', [box('before any work', [join(plan.check)])])] : []),
    ...createGroups('Work', plan.run ?? [], plan),
    createBand('Response', [box(plan.answer ?? '200', [join(plan.reply), plan.main ? `result of ${plan.main}` : ''])]),
    ...(plan.settle?.length
      ? [createBand('Afterwards', [box('once the response is known', [join(plan.settle)])])]
      : []),
    ...(plan.apart ?? []).flatMap(({ begins, run }) => createGroups(begins, run ?? [], plan)),
  ];
  return {
    element: create(
      'div',
      {},
      create('h2', {}, `${id} `, showPlace(place)),
      create('div', { class: 'plan' }, bands),
      coverage === null
        ? null
        : createTable(
            'Places that `lintel test --coverage` has reached',
            [
              { title: 'Place', name: 'place' },
              { title: 'Times', name: 'hits' },
            ],
            coverage,
          ),
      create(
        'details',
        {},
        create('summary', { text: 'As JSON' }),
        create('pre', { tabindex: '0', role: 'group', 'aria-label': 'Plan', text: JSON.stringify(plan, null, 2) }),
      ),
    ),
  };
}

const createBand = (title, boxes) =>
  create('section', { class: 'band', 'aria-label': title }, create('h3', { text: title }), create('ol', {}, boxes));

function createGroups(title, groups, plan) {
  return groups.map(({ together, actions }, at) => {
    const boxes = (actions ?? []).map((action) => describeAction(action, plan));
    const list = create('ol', { class: together === 'at once' ? 'beside' : null }, boxes);
    return create(
      'section',
      { class: together ? 'band unit' : 'band', 'aria-label': `${title} ${at + 1}` },
      create('h3', { text: [title, together].filter(Boolean).join(' · ') }),
      list,
    );
  });
}

function describeAction({ key, mode, before, after, tables, needs, execute, begins }, { main }) {
  const needed = Object.entries(needs ?? {}).map(
    ([from, names]) => `from ${from}${names.length ? `: ${names.join(', ')}` : ''}`,
  );
  const text = execute?.sql ?? execute?.call;
  return create(
    'li',
    { class: key === main ? 'box main' : 'box' },
    create('strong', { text: `${key} ${mode}` }),
    begins ? create('div', { class: 'dim', text: 'only when needed' }) : null,
    needed.map((line) => create('div', { class: 'dim', text: line })),
    before?.length ? create('div', { class: 'dim', text: `first: ${join(before)}` }) : null,
    text ? create('pre', { tabindex: '0', role: 'group', 'aria-label': 'Work', text }) : null,
    tables?.length ? create('div', { text: tables.join(', ') }) : null,
    after?.length ? create('div', { class: 'dim', text: `then: ${join(after)}` }) : null,
  );
}
