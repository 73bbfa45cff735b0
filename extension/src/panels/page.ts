/** A panel's HTML. Its CSP allows only the extension's script and styles. */
import { randomBytes } from 'node:crypto';
import { Uri, ViewColumn, window, type ExtensionContext, type Webview } from 'vscode';

/** Folder of the scripts and styles that pages load. */
export const getMediaFolder = ({ extensionUri }: ExtensionContext): Uri => Uri.joinPath(extensionUri, 'media');

/** In the active column when no text editor is active. */
export const selectViewColumn = (): ViewColumn =>
  window.activeTextEditor === undefined ? ViewColumn.Active : ViewColumn.Beside;

/** `name`: of the script and the styles in `media/`. `body`: markup without user input. */
export function renderPage(context: ExtensionContext, webview: Webview, name: string, body: string): string {
  const nonce = randomBytes(18).toString('base64');
  const toAssetUri = (end: string): string =>
    webview.asWebviewUri(Uri.joinPath(getMediaFolder(context), end)).toString();
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
<link rel="stylesheet" href="${toAssetUri('panel.css')}">
<link rel="stylesheet" href="${toAssetUri(`${name}.css`)}">
<title>Lintel</title>
</head>
<body>
${body}
<script nonce="${nonce}" src="${toAssetUri(`${name}.js`)}"></script>
</body>
</html>`;
}
