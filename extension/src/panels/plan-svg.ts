/** Renders a layout as SVG, with the editor's colours or its own (file export). */
import { SIZE, type Arrow, type Band, type Box, type Frame, type Layout } from './plan-layout.js';

/** `own`: embeds colours, for use outside the editor. */
export function renderSvg({ width, height, bands, frames, boxes, arrows }: Layout, own = false): string {
  const parts = [
    ...bands.map(renderBand),
    ...frames.map(renderFrame),
    ...arrows.map(renderArrow),
    ...boxes.map(renderBox),
    ...arrows.map(renderLabel),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="plan" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="The plan of the resource">`,
    own ? `<style>${COLOURS}</style><rect class="paper" width="${width}" height="${height}"/>` : '',
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>',
    ...parts,
    '</svg>',
  ].join('\n');
}

export const escapeXml = (text: string): string =>
  text
    // XML 1.0 forbids control characters even as character references.
    // oxlint-disable-next-line no-control-regex -- XML may not hold them in any form
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ' ')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const formatArea = ({ x, y, width, height }: Band | Frame | Box, radius: number): string =>
  `x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}"`;

const renderText = (className: string, x: number, y: number, content: string, anchor = 'start'): string =>
  `<text class="${className}" x="${x}" y="${y}" text-anchor="${anchor}">${escapeXml(content)}</text>`;

const renderBand = (band: Band, i: number): string =>
  `<g class="band"><rect class="${i % 2 === 0 ? 'even' : 'odd'}" ${formatArea(band, 0)}/>${renderText('band-title', SIZE.pad, band.y + 18, band.title)}</g>`;

const renderFrame = (frame: Frame): string =>
  `<g class="frame ${frame.look}"><rect ${formatArea(frame, 8)}/>${renderText('frame-title', frame.x + SIZE.pad, frame.y + 17, frame.title)}</g>`;

function renderBox(box: Box): string {
  const { x, y, width, key, look, title, tags, lines, whole } = box;
  const role =
    key === null ? '' : ` data-key="${escapeXml(key)}" role="button" tabindex="0" aria-label="${escapeXml(whole)}"`;
  const texts = lines.map(({ text: content, look: style }, i) =>
    renderText(`line ${style}`, x + SIZE.pad, y + SIZE.title + 14 + i * SIZE.line, content),
  );
  return [
    `<g class="box ${look}"${role}><title>${escapeXml(whole)}</title><rect ${formatArea(box, 5)}/>`,
    renderText('title', x + SIZE.pad, y + 19, title),
    tags === '' ? '' : renderText('tags', x + width - SIZE.pad, y + 19, tags, 'end'),
    ...texts,
    '</g>',
  ].join('');
}

const renderArrow = ({ from, to, points, whole }: Arrow): string =>
  `<g class="arrow" data-from="${escapeXml(from)}" data-to="${escapeXml(to)}"><title>${escapeXml(whole)}</title><polyline points="${points
    .map((point) => point.join(','))
    .join(' ')}" fill="none" marker-end="url(#head)"/></g>`;

const renderLabel = ({ label, labelAt: [x, y], from, to }: Arrow): string =>
  label === ''
    ? ''
    : `<g data-from="${escapeXml(from)}" data-to="${escapeXml(to)}">${renderText('arrow-label', x, y, label)}</g>`;

const COLOURS = `text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1f2328}.paper{fill:#fff}.band .even{fill:#f6f8fa}.band .odd{fill:#fff}
.band-title{font-weight:600;fill:#59636e}.frame rect{fill:none;stroke:#0969da;stroke-dasharray:6 4}.frame.parallel rect{stroke:#8250df}.frame-title,.arrow-label{fill:#0969da}
.frame.parallel .frame-title{fill:#8250df}.box rect{fill:#fff;stroke:#818b98}.box.main rect{stroke:#1a7f37;stroke-width:2}.box.needed rect{stroke-dasharray:4 3}.box .title{font-weight:600}
.tags,.line.dim{fill:#59636e}.line.secret{fill:#bc4c00}.line.good{fill:#1a7f37}.line.flow{fill:#8250df;font-weight:600}.arrow polyline{stroke:#0969da;stroke-width:1.3}.head{fill:#0969da}`;
