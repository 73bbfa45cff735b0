/** Markup of the plan page; `media/plan.js` fills it. Tests depend on the element ids. */

export const PLAN_PAGE = `
<header>
  <button id="pick" class="plain" title="Another resource"><span id="resource">...</span> <span class="dim">▾</span></button>
  <button id="refresh" class="plain">refresh</button>
  <button id="request" class="plain">send a request</button>
  <button id="export" class="plain">save as SVG...</button>
  <span id="state" class="dim" role="status"></span>
</header>
<section id="problems" class="note bad" hidden role="alert">
  <p id="problems-title"></p>
  <ul id="problem-list"></ul>
</section>
<main id="diagram"></main>
`;
