/** The page that shows a plan: puts the drawing in, and tells the extension what was clicked. Holds no logic of plans. */
'use strict';
(() => {
  const vscode = acquireVsCodeApi();
  const $ = (id) => document.getElementById(id);
  const tell = (message) => vscode.postMessage(message);

  function showPlan({ path, svg }) {
    $('resource').textContent = path;
    $('state').textContent = '';
    $('problems').hidden = true;
    $('diagram').className = '';
    // Drawn by the extension, which escapes what definitions say; scripts in it would not run.
    $('diagram').innerHTML = svg;
    // A narrow panel shows it smaller, but never too small to read: then it scrolls.
    const drawing = $('diagram').querySelector('.plan');
    drawing.style.minWidth = `${drawing.viewBox.baseVal.width * 0.75}px`;
    $('export').disabled = false;
  }

  function showNone({ reason, problems }) {
    $('state').textContent = '';
    $('problems').hidden = false;
    $('problems-title').textContent = reason;
    $('problem-list').replaceChildren(
      ...problems.map(({ code, message, line }) => {
        const button = document.createElement('button');
        button.className = 'plain';
        button.textContent = `${code}, line ${line + 1}: ${message}`;
        button.addEventListener('click', () => tell({ type: 'line', line }));
        const item = document.createElement('li');
        item.append(button);
        return item;
      }),
    );
    $('diagram').className = 'old';
    $('export').disabled = true;
  }

  const boxOf = (event) => event.target.closest?.('[data-key]');
  $('diagram').addEventListener('click', (event) => {
    const box = boxOf(event);
    if (box) tell({ type: 'action', key: box.dataset.key });
  });
  $('diagram').addEventListener('keydown', (event) => {
    const box = boxOf(event);
    if (!box || (event.key !== 'Enter' && event.key !== ' ')) return;
    event.preventDefault();
    tell({ type: 'action', key: box.dataset.key });
  });
  // What flows to and from the box under the pointer stands out.
  $('diagram').addEventListener('mouseover', (event) => {
    const drawing = $('diagram').querySelector('.plan');
    const key = boxOf(event)?.dataset.key;
    drawing?.classList.toggle('pointed', key !== undefined);
    for (const arrow of $('diagram').querySelectorAll('[data-from]'))
      arrow.classList.toggle('near', key !== undefined && (arrow.dataset.from === key || arrow.dataset.to === key));
  });
  for (const id of ['pick', 'refresh', 'export', 'request']) $(id).addEventListener('click', () => tell({ type: id }));

  window.addEventListener('message', ({ data }) => {
    if (data.type === 'plan') showPlan(data);
    else if (data.type === 'none') showNone(data);
    else if (data.type === 'busy') {
      if ($('resource').textContent !== data.path) $('diagram').replaceChildren();
      $('resource').textContent = data.path;
      $('state').textContent = 'compiling...';
    }
  });
  tell({ type: 'ready' });
})();
