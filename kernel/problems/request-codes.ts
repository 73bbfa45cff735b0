/** Codes answered while a request runs: status, title, words, what to do. Data only. */
import { refusal } from './rows.js';

export const REQUEST_CODES = {
  REQ_NOT_FOUND: refusal(
    404,
    'Not found',
    'There is nothing at this path.',
    'See the table of endpoints that the start prints.',
  ),
  REQ_BROKEN: refusal(
    503,
    'Definition not valid',
    'The definition of this resource has errors.',
    'Run `lintel check`. `lintel dev` starts with such a definition, `lintel serve` only with `on_problem: "skip"`.',
  ),
  REQ_METHOD: refusal(
    405,
    'Method not allowed',
    'This endpoint does not answer {method}.',
    "The config's `http.methods` lists the verbs.",
  ),
  REQ_MEDIA_TYPE: refusal(
    415,
    'Unsupported media type',
    'The content type must be application/json.',
    'Send the body as JSON with a `content-type` header.',
  ),
  REQ_ENCODING: refusal(
    415,
    'Unsupported content encoding',
    'Compressed request bodies are not accepted.',
    'Send the body as it is.',
  ),
  REQ_MALFORMED: refusal(
    400,
    'Malformed body',
    'The body is not valid JSON in UTF-8.',
    'Check the body with a JSON parser.',
  ),
  REQ_NAME_REFUSED: refusal(
    400,
    'Reserved name in body',
    'The body uses a reserved property name.',
    '`__proto__`, `constructor` and `prototype` are refused at every depth.',
  ),
  REQ_TOO_LARGE: refusal(
    413,
    'Body too large',
    'The body is larger than {max} bytes.',
    'The limit is `http.limits.body` (MAX_PAYLOAD_LIMIT).',
  ),
  REQ_TOO_COMPLEX: refusal(
    413,
    'Body too complex',
    'The body has too many {what}; at most {max} are accepted.',
    'The limits are `http.limits.depth`, `keys`, `array` and `parts`, and `max_file_uploads` for files.',
  ),
  REQ_ABORTED: refusal(
    400,
    'Body incomplete',
    'The request ended before its body was complete.',
    'Send as many bytes as `content-length` says.',
  ),
  REQ_FORM: refusal(
    400,
    'Malformed form',
    'The form cannot be read: {what}.',
    'Send `multipart/form-data` as browsers and `curl -F` do: every part with a name, texts in UTF-8.',
  ),
  REQ_NO_FILES: refusal(
    415,
    'No files here',
    'This endpoint takes no files.',
    'Files are taken where an actionable has the mode `UPLOAD`; send the other parts as text.',
  ),
  REQ_PART: refusal(
    413,
    'Part too large',
    'The part "{name}" is larger than {max} bytes.',
    'The limit is `max_upload_file_size` for files, `http.limits.field` for texts.',
  ),
  REQ_SILENT: refusal(
    408,
    'Sender silent',
    'Nothing came for {seconds} seconds.',
    'The limit is `http.timeouts.idle`; send the form again.',
  ),
  REQ_NO_ROOM: refusal(
    503,
    'No room for files',
    'Files cannot be taken at the moment.',
    'The temporary folder of the machine is full or not writable, or too many files are open; the log has the reason.',
  ),
  REQ_URL_TOO_LONG: refusal(414, 'URL too long', 'The URL is longer than {max} bytes.', 'Send values in the body.'),
  VAL_PAYLOAD: refusal(
    422,
    'Payload not valid',
    'The payload breaks a rule: {first}',
    'Each entry of `errors` names a field and its rule.',
  ),
  VAL_NOT_OBJECT: refusal(
    422,
    'Payload not valid',
    'The body must be a JSON object.',
    'Send the fields as properties of one object.',
  ),
  ACC_UNRESOLVED: refusal(
    422,
    'Value missing',
    'The request does not provide {name}.',
    'Send the field, or declare it `optional` in `payload_validation`.',
  ),
  ACC_CLAIM: refusal(
    403,
    'Claim missing',
    'The token does not carry what this endpoint needs.',
    'The resource that issues the token lists the claim in `custom_claim_fields`.',
  ),
  ACC_NOT_TEXT: refusal(
    422,
    'Value is not text',
    '{name} is put into a text and must be text, a number or a boolean.',
    'Send a plain value.',
  ),
  INT_UNEXPECTED: refusal(
    500,
    'Internal error',
    'Something unexpected happened; the log knows more under this request id.',
    'Look up the request id in the log.',
  ),
} as const;
