/** Whether anybody could see or use the colour of an upload: finding it costs a look into every picture. Decided at load. */
import { isObject, type Json } from '../../../kernel/contract/json.js';

type Fields = Readonly<Record<string, Json>>;

const NAME = 'dominant_color';
/** Takes a whole result. */
const WHOLE = 'self_';

/** `action`: the upload; `root`: the resource that answers. */
export function asksForColor(action: Fields, root: Fields): boolean {
  // A list of names anywhere on the way lets nothing else out.
  const listed = Array.isArray(action['returnables']) || Array.isArray(root['returnables']);
  return !listed || mentions(action) || mentions(root);
}

function mentions(value: Json): boolean {
  const stack: Json[] = [value];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') {
      if (next === WHOLE || next.includes(NAME)) return true;
    } else if (Array.isArray(next)) stack.push(...(next as readonly Json[]));
    else if (isObject(next)) stack.push(...Object.values(next));
  }
  return false;
}
