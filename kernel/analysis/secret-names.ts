/** Which names never leave unless somebody asks for them: what is hashed, encrypted, or marked secret in a model. */
import { asText } from '../contract/json.js';
import { accessorsIn } from '../language/accessor.js';
import { inside, objectOf, type LinkedAction, type LinkedResource } from './link.js';
import type { Definition } from './model.js';

/** The fields as the payload calls them, and the columns that they are written to. */
export function secretsOf({ finds }: Definition, action: LinkedAction): string[] {
  const fields = finds.declarations
    .filter(({ symbol, spot }) => symbol === 'secret' && inside(spot, action.node))
    .map(({ name }) => name);
  if (fields.length === 0) return [];
  // Bare, or as the path of an accessor.
  const isSecret = (text: string): boolean =>
    fields.includes(text) || accessorsIn(text).some(({ tail }) => fields.includes(tail.join('.')));
  const columns = finds.statements
    .filter(({ node }) => inside(node, action.node))
    .flatMap(({ scan, parameters }) =>
      scan.placeholders.flatMap(({ n, column }) =>
        column !== null && isSecret(asText(parameters[n - 1]?.scalar)) ? [column] : [],
      ),
    );
  // In a row, what the payload calls `login.password` is `password`.
  const names = fields.map((field) => field.slice(field.lastIndexOf('.') + 1));
  return [...new Set([...fields, ...names, ...columns])];
}

/** By model: the fields that it marks secret itself, and those that some resource hashes or encrypts before it writes. */
export function modelSecrets(
  definitions: readonly Definition[],
  linked: readonly LinkedResource[],
): ReadonlyMap<string, readonly string[]> {
  const marked = definitions
    .filter(({ sort }) => sort === 'model')
    .map(({ name, node }) => {
      const secret = node.members.filter(({ value }) => value !== null && objectOf(value)['secret'] === true);
      return { model: name, names: secret.map(({ key }) => key) };
    });
  const written = linked.flatMap(({ definition, actions }) =>
    actions.flatMap((action) => action.models.map((model) => ({ model, names: secretsOf(definition, action) }))),
  );
  const byModel = new Map<string, readonly string[]>();
  for (const { model, names } of [...marked, ...written]) byModel.set(model, [...(byModel.get(model) ?? []), ...names]);
  return byModel;
}
