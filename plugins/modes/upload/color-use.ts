/** Decides at load whether the color of an upload is used, because computing it requires decoding every picture. */
import { isObject, type Json } from '../../../contract/json.js';

type Fields = Readonly<Record<string, Json>>;

const NAME = 'dominant_color';
/** Path of a whole result. */
const WHOLE = 'self_';

/** `action`: the upload; `root`: its resource. */
export function isColorUsed(action: Fields, root: Fields): boolean {
  // A `returnables` list on the way removes fields that it does not name.
  const listed = Array.isArray(action['returnables']) || Array.isArray(root['returnables']);
  return !listed || hasMention(action) || hasMention(root);
}

function hasMention(value: Json): boolean {
  const stack: Json[] = [value];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') {
      if (next === WHOLE || next.includes(NAME)) return true;
    } else if (Array.isArray(next)) stack.push(...(next as readonly Json[]));
    else if (isObject(next)) stack.push(...Object.values(next));
  }
  return false;
}
