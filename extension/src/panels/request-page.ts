/** Markup of the request page; `media/request.js` fills it. Tests depend on the element ids. */

export const REQUEST_PAGE = `
<header>
  <button id="pick" class="plain" title="Another resource"><span id="resource">...</span> <span class="dim">▾</span></button>
  <a id="reveal" href="#" class="dim">show the definition</a>
</header>
<p id="unsound" class="note warning" hidden>This resource has errors: the kernel serves its last sound state, or nothing.</p>
<form id="form">
  <div class="address">
    <select id="method" aria-label="Method"></select>
    <input id="base" aria-label="Address of the kernel" spellcheck="false">
    <output id="path"></output>
    <button id="send" type="submit" title="Ctrl+Enter">Send</button>
    <button id="cancel" type="button" class="secondary" hidden>Cancel</button>
  </div>
  <section id="parameters-part" hidden><h2>Path</h2><div id="parameters" class="rows"></div></section>
  <section id="token-part">
    <h2>Token</h2>
    <div class="line">
      <select id="token" aria-label="Token"></select>
      <button id="forget" type="button" class="secondary" hidden>Forget</button>
      <span id="guard" class="dim"></span>
    </div>
    <dl id="claims" hidden></dl>
  </section>
  <section>
    <h2>Headers <button id="add-header" type="button" class="plain">+ add</button></h2>
    <div id="headers" class="rows"></div>
  </section>
  <section id="files-part" hidden><h2>Files</h2><div id="files" class="rows"></div></section>
  <section id="payload-part">
    <h2>
      <label for="payload" id="payload-title">Payload</label>
      <button id="sample" type="button" class="plain" title="Made from the rules of the resource">sample</button>
      <button id="complete" type="button" class="plain" title="Adds what the rules require (Ctrl+Space)">complete</button>
      <button id="format" type="button" class="plain">format</button>
      <select id="history" aria-label="Sent before" hidden></select>
      <span id="payload-state" role="status"></span>
    </h2>
    <textarea id="payload" spellcheck="false" rows="8"></textarea>
    <div id="optional" class="chips" hidden></div>
  </section>
</form>
<section id="answer" hidden aria-live="polite">
  <div class="line" id="answer-line">
    <strong id="status"></strong> <span id="timing" class="dim"></span> <span id="size" class="dim"></span>
    <span id="remembered" class="note good" hidden></span>
  </div>
  <div id="timings" class="timings" hidden></div>
  <div id="problem" class="note bad" hidden>
    <strong id="problem-title"></strong> <code id="problem-code"></code>
    <p id="problem-detail"></p>
    <ul id="problem-errors"></ul>
  </div>
  <div class="line" id="body-line">
    <h2>Body</h2>
    <button id="open-body" type="button" class="plain">open in an editor</button>
    <button id="save-body" type="button" class="plain">save as...</button>
  </div>
  <pre id="body" tabindex="0"></pre>
  <img id="image" alt="The answer, an image" hidden>
  <details><summary>Response headers</summary><table id="answer-headers"></table></details>
</section>
<section id="failed" class="note bad" hidden role="alert">
  <p id="reason"></p>
  <button id="run" type="button">Run the Kernel (lintel dev)</button>
</section>
`;
