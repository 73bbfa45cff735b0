/**
 * The page that sends requests: shows what the extension says, and tells it what is filled in. Sends nothing itself, and every
 * value goes into the page as text.
 */
'use strict';
(() => {
  const vscode = acquireVsCodeApi();
  const $ = (id) => document.getElementById(id);
  const tell = (message, transfer) => vscode.postMessage(message, transfer);
  let shape = null;
  let tokens = [];

  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const shown = (json) => JSON.stringify(json, null, 2);
  const fill = (element, ...children) => element.replaceChildren(...children);

  // --- what is filled in

  function show({ shape: next, base, keep }) {
    const same = keep && shape !== null && shape.id === next.id && shape.path === next.path;
    const untouched = shape !== null && $('payload').value === sampleText(shape);
    const filled = same ? parameters() : {};
    shape = next;
    $('resource').textContent = shape.path;
    $('unsound').hidden = shape.sound;
    if (!same) $('base').value = base;
    const method = $('method').value;
    fill($('method'), ...shape.methods.map((name) => make('option', { textContent: name, value: name })));
    if (same && shape.methods.includes(method)) $('method').value = method;
    fill(
      $('parameters'),
      ...shape.parameters.map(({ name, sample }) => {
        const input = make('input', { value: filled[name] ?? sample, spellcheck: false });
        input.dataset.name = name;
        input.id = `parameter-${name}`;
        input.addEventListener('input', showPath);
        return make('div', { className: 'row' }, make('label', { textContent: name, htmlFor: input.id }), input);
      }),
    );
    $('parameters-part').hidden = shape.parameters.length === 0;
    if (!same) {
      fill($('headers'), ...shape.headers.map(({ name, doc, required }) => headerRow(name, '', doc, required)));
      fill($('files'), ...shape.files.map(fileRow));
    }
    $('files-part').hidden = shape.files.length === 0;
    if (!same || untouched) $('payload').value = sampleText(shape);
    if (!same) for (const id of ['answer', 'failed']) $(id).hidden = true;
    showGuard();
    showPath();
    showMethod();
    checkPayload();
  }

  const sampleText = ({ payload, files }) =>
    files.length > 0 && Object.keys(payload ?? {}).length === 0 ? '' : shown(payload);

  const parameters = () =>
    Object.fromEntries(
      [...$('parameters').querySelectorAll('input')].map((input) => [input.dataset.name, input.value]),
    );

  function showPath() {
    const values = parameters();
    const parts = shape.path.split(/(\/:[^/]+)/).map((part) => {
      if (!part.startsWith('/:')) return part;
      const value = values[part.slice(2)];
      return make('span', {}, '/', make('mark', { textContent: value === '' ? part.slice(1) : value }));
    });
    fill($('path'), ...parts);
  }

  const isQuery = () => shape.withoutBody.includes($('method').value);

  function showMethod() {
    $('payload-title').textContent =
      shape.files.length > 0 ? 'Fields beside the files' : isQuery() ? 'Payload, sent as the query string' : 'Payload';
  }

  function headerRow(name = '', value = '', doc = '', required = false) {
    const names = make('input', { value: name, placeholder: 'name', spellcheck: false, ariaLabel: 'Name of a header' });
    const values = make('input', { value, placeholder: doc === '' ? 'value' : doc, title: doc, spellcheck: false });
    values.ariaLabel = `Value of ${name === '' ? 'a header' : name}`;
    const remove = make('button', { type: 'button', className: 'plain', textContent: 'remove' });
    const row = make(
      'div',
      { className: 'row header' },
      names,
      values,
      ...(required ? [make('small', { textContent: 'required' })] : [remove]),
    );
    remove.addEventListener('click', () => row.remove());
    return row;
  }

  function fileRow({ name, doc, most, bytes, types }) {
    const input = make('input', { type: 'file', multiple: most > 1, accept: types.join(','), title: doc });
    input.dataset.part = name;
    input.id = `file-${name}`;
    const most_ = most > 1 ? `up to ${most}` : 'one file';
    const bound = bytes === null ? '' : `, at most ${sizeText(bytes)}`;
    const only = types.length === 0 ? '' : `, ${types.join(' or ')}`;
    return make(
      'div',
      { className: 'row' },
      make('label', { textContent: name, htmlFor: input.id }),
      input,
      make('small', { textContent: `${most_}${bound}${only}` }),
    );
  }

  // --- tokens

  function showTokens(message) {
    const before = $('token').value;
    const kept = tokens.some(({ key }) => key === before) && message.tokens.some(({ key }) => key === before);
    const fresh = message.tokens.length > tokens.length;
    tokens = message.tokens;
    fill(
      $('token'),
      make('option', {
        value: '',
        textContent: tokens.length === 0 ? 'none yet: an answer with a token is remembered' : 'none',
      }),
      ...tokens.map(({ key, label, expires }) =>
        make('option', {
          value: key,
          textContent: expires !== null && expires < Date.now() ? `${label} (expired)` : label,
        }),
      ),
    );
    $('token').value = kept && !fresh ? before : (message.chosen ?? '');
    showClaims();
  }

  function showClaims() {
    const token = tokens.find(({ key }) => key === $('token').value);
    $('forget').hidden = token === undefined;
    const claims = token === undefined ? [] : Object.entries(token.claims ?? {});
    const dated = (name, value) =>
      ['exp', 'iat', 'nbf'].includes(name) && typeof value === 'number'
        ? `${value} (${new Date(value * 1000).toLocaleString()}${name === 'exp' && value * 1000 < Date.now() ? ', expired' : ''})`
        : typeof value === 'string'
          ? value
          : JSON.stringify(value);
    fill(
      $('claims'),
      ...claims.flatMap(([name, value]) => [
        make('dt', { textContent: name }),
        make('dd', { textContent: dated(name, value) }),
      ]),
    );
    $('claims').hidden = claims.length === 0;
    showGuard();
  }

  function showGuard() {
    if (shape === null) return;
    const way = shape.ways.find((one) => one.length > 0);
    const open = shape.ways.some((one) => one.length === 0);
    const where = way === undefined ? '' : way.map(({ header, prefix }) => `${header}: ${prefix}...`).join(', ');
    const needed = way !== undefined && !open;
    $('guard').textContent =
      way === undefined ? 'open to everybody' : `${needed ? 'guarded' : 'may be shown'}: ${where}`;
    $('guard').title = (way ?? []).map(({ doc }) => doc).join(' ');
    $('token-part').hidden = way === undefined && tokens.length === 0;
  }

  // --- payload

  function checkPayload() {
    const text = $('payload').value;
    let said = '';
    let json;
    try {
      json = text.trim() === '' ? undefined : JSON.parse(text);
    } catch (error) {
      said = `no JSON: ${error.message}`;
    }
    $('payload-state').textContent = said;
    $('payload').setAttribute('aria-invalid', String(said !== ''));
    const target = Array.isArray(json) ? json[0] : (json ?? {});
    const missing = Object.keys(shape.optional).filter((name) => said === '' && !Object.hasOwn(target ?? {}, name));
    fill(
      $('optional'),
      make('span', { className: 'dim', textContent: 'May be left out:' }),
      ...missing.map((name) => {
        const chip = make('button', { type: 'button', textContent: `+ ${name}`, title: shown(shape.optional[name]) });
        chip.addEventListener('click', () => {
          const more = { ...target, [name]: shape.optional[name] };
          $('payload').value = shown(Array.isArray(json) ? [more, ...json.slice(1)] : more);
          checkPayload();
        });
        return chip;
      }),
    );
    $('optional').hidden = missing.length === 0;
    $('payload').rows = Math.min(Math.max($('payload').value.split('\n').length + 1, 4), 24);
    return said === '';
  }

  // --- what was sent before

  let sent = [];

  function showHistory(message) {
    sent = message.sent;
    fill(
      $('history'),
      make('option', { value: '', textContent: 'sent before' }),
      ...sent.map(({ at, method, parameters: values, payload }, index) =>
        make('option', {
          value: String(index),
          textContent: [new Date(at).toLocaleString(), method, ...Object.values(values), payload.replace(/\s+/g, ' ')]
            .join(' ')
            .slice(0, 90),
        }),
      ),
    );
    $('history').hidden = sent.length === 0;
  }

  function restore({ method, parameters: values, payload }) {
    if (shape.methods.includes(method)) $('method').value = method;
    for (const input of $('parameters').querySelectorAll('input'))
      input.value = values[input.dataset.name] ?? input.value;
    $('payload').value = payload;
    showPath();
    showMethod();
    checkPayload();
  }

  // --- sending

  async function submit() {
    if (shape === null || !$('cancel').hidden) return;
    const picked = [...$('files').querySelectorAll('input')].flatMap((input) =>
      [...input.files].map((file) => ({ part: input.dataset.part, file })),
    );
    const files = await Promise.all(
      picked.map(async ({ part, file }) => ({
        part,
        name: file.name,
        type: file.type,
        bytes: await file.arrayBuffer(),
      })),
    );
    const headers = [...$('headers').querySelectorAll('.header')].flatMap((row) => {
      const [name, value] = row.querySelectorAll('input');
      return value.value === '' ? [] : [[name.value, value.value]];
    });
    tell({
      type: 'send',
      filled: {
        base: $('base').value,
        method: $('method').value,
        parameters: parameters(),
        headers,
        payload: $('payload').value,
        token: $('token').value === '' ? null : $('token').value,
        files,
      },
    });
  }

  function busy(is) {
    $('send').disabled = is;
    $('cancel').hidden = !is;
    if (is) $('status').textContent = '...';
  }

  // --- the answer

  const sizeText = (bytes) =>
    bytes < 1024
      ? `${bytes} B`
      : bytes < 1048576
        ? `${(bytes / 1024).toFixed(1)} KB`
        : `${(bytes / 1048576).toFixed(1)} MB`;
  const timeText = (milliseconds) =>
    milliseconds < 10
      ? `${milliseconds.toFixed(1)} ms`
      : milliseconds < 10000
        ? `${Math.round(milliseconds)} ms`
        : `${(milliseconds / 1000).toFixed(1)} s`;
  const classOf = (status) => (status < 300 ? 'good' : status < 400 ? 'moved' : status < 500 ? 'bad' : 'broken');

  function showAnswer({ answer, remembered }) {
    busy(false);
    const { status, statusText, took, size, headers, timings, body, problem } = answer;
    $('failed').hidden = true;
    $('answer').hidden = false;
    $('status').textContent = `${status} ${statusText}`.trim();
    $('status').className = classOf(status);
    $('timing').textContent = timeText(took);
    $('size').textContent = sizeText(size);
    $('remembered').hidden = remembered === 0;
    $('remembered').textContent =
      remembered === 1 ? 'The token is remembered.' : `${remembered} tokens are remembered.`;
    const most = Math.max(...timings.map((one) => one.took), 0.001);
    fill(
      $('timings'),
      ...timings.flatMap((one) => [
        make('span', { textContent: one.text }),
        make('span', { textContent: timeText(one.took) }),
        make('meter', { min: 0, max: most, value: one.took }),
      ]),
    );
    $('timings').hidden = timings.length === 0;
    $('problem').hidden = problem === null;
    if (problem !== null) {
      $('problem-title').textContent = problem.title;
      $('problem-code').textContent = problem.code;
      $('problem-detail').textContent = problem.detail;
      fill(
        $('problem-errors'),
        ...problem.errors.map(({ at, detail }) => make('li', {}, make('code', { textContent: at }), ` ${detail}`)),
      );
    }
    showBody(body);
    fill(
      $('answer-headers'),
      ...headers.map(([name, value]) =>
        make('tr', {}, make('td', { textContent: name }), make('td', { textContent: value })),
      ),
    );
    $('answer').scrollIntoView({ block: 'nearest' });
  }

  function showBody(body) {
    $('image').hidden = body.as !== 'image';
    $('body').hidden = body.as === 'image';
    $('body-line').hidden = body.as === 'nothing';
    $('open-body').hidden = body.as === 'image' || body.as === 'file';
    if (body.as === 'image') $('image').src = body.source;
    else if (body.as === 'nothing') $('body').textContent = 'The answer has no body.';
    else if (body.as === 'file')
      $('body').textContent = `${body.type}: no text to show. "save as..." keeps it as a file.`;
    else {
      if (body.as === 'json' && body.text.length < 150000) fill($('body'), ...coloured(body.text));
      else $('body').textContent = body.text;
      if (body.cut) $('body').append('\n... The rest is shown by "open in an editor".');
    }
  }

  const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

  function* coloured(text) {
    let at = 0;
    for (const found of text.matchAll(TOKEN)) {
      const [whole, string, colon] = found;
      yield text.slice(at, found.index);
      const word = string ?? whole;
      const className =
        colon !== undefined ? 'key' : string !== undefined ? 'text' : /^[-\d]/.test(word) ? 'number' : 'word';
      yield make('span', { className, textContent: word });
      if (colon !== undefined) yield colon;
      at = found.index + whole.length;
    }
    yield text.slice(at);
  }

  function showFailure({ reason, canRun }) {
    busy(false);
    $('answer').hidden = true;
    $('failed').hidden = false;
    $('reason').textContent = reason;
    $('run').hidden = !canRun;
  }

  // --- what people do

  $('form').addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void submit();
    }
    if (event.key === 'Escape' && !$('cancel').hidden) tell({ type: 'cancel' });
  });
  const on = (id, type, act) => $(id).addEventListener(type, act);
  on('cancel', 'click', () => tell({ type: 'cancel' }));
  on('pick', 'click', () => tell({ type: 'pick' }));
  on('run', 'click', () => tell({ type: 'run' }));
  on('open-body', 'click', () => tell({ type: 'open' }));
  on('save-body', 'click', () => tell({ type: 'save' }));
  on('reveal', 'click', (event) => {
    event.preventDefault();
    tell({ type: 'reveal' });
  });
  on('forget', 'click', () => tell({ type: 'forget', base: $('base').value, token: $('token').value }));
  on('token', 'change', showClaims);
  on('base', 'change', () => tell({ type: 'base', base: $('base').value }));
  on('method', 'change', showMethod);
  on('payload', 'input', checkPayload);
  on('sample', 'click', () => {
    $('payload').value = sampleText(shape);
    checkPayload();
  });
  const complete = () => tell({ type: 'complete', payload: $('payload').value });
  on('complete', 'click', complete);
  on('payload', 'keydown', (event) => {
    if (event.key !== ' ' || !event.ctrlKey) return;
    event.preventDefault();
    complete();
  });
  on('history', 'change', () => {
    const chosen = sent[Number($('history').value)];
    if ($('history').value !== '' && chosen !== undefined) restore(chosen);
    $('history').value = '';
  });
  on('format', 'click', () => {
    if (checkPayload() && $('payload').value.trim() !== '') $('payload').value = shown(JSON.parse($('payload').value));
    checkPayload();
  });
  on('add-header', 'click', () => {
    const row = headerRow();
    $('headers').append(row);
    row.querySelector('input').focus();
  });

  window.addEventListener('message', ({ data }) => {
    if (data.type === 'show') show(data);
    else if (data.type === 'tokens') showTokens(data);
    else if (data.type === 'history') showHistory(data);
    else if (data.type === 'payload') {
      $('payload').value = data.text;
      checkPayload();
    } else if (data.type === 'sending') busy(true);
    else if (data.type === 'answer') showAnswer(data);
    else if (data.type === 'failed') showFailure(data);
  });
  tell({ type: 'ready' });
})();
