/** The page of a panel: our own script and styles and nothing else, in the colours of the editor. */
import { randomBytes } from 'node:crypto';
import { Uri, ViewColumn, window, type ExtensionContext, type Webview } from 'vscode';

/** Folder of what pages load. */
export const mediaOf = ({ extensionUri }: ExtensionContext): Uri => Uri.joinPath(extensionUri, 'media');

/** Beside the text that is edited; where a panel is in front, with it. */
export const besideText = (): ViewColumn =>
  window.activeTextEditor === undefined ? ViewColumn.Active : ViewColumn.Beside;

/** `name`: of the script and the styles in `media/`. `body`: markup of ours, without a value of anybody. */
export function pageOf(context: ExtensionContext, webview: Webview, name: string, body: string): string {
  const nonce = randomBytes(18).toString('base64');
  const file = (end: string): string => webview.asWebviewUri(Uri.joinPath(mediaOf(context), end)).toString();
  const policy = [
    `default-src 'none'`,
    `style-src ${webview.cspSource}`,
    `img-src data:`,
    `script-src 'nonce-${nonce}'`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file('panel.css')}">
<link rel="stylesheet" href="${file(`${name}.css`)}">
<title>Lintel</title>
</head>
<body>
${body}
<script nonce="${nonce}" src="${file(`${name}.js`)}"></script>
</body>
</html>`;
}
