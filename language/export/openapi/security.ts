/** The authentication alternatives of a resource, each a list of required schemes. */
import type { ApiPart, ApiSecurity } from '../../../contract/api.js';
import type { JsonObject } from '../../../contract/json.js';
import type { PluginSpec } from '../../../contract/plugin-spec.js';
import type { PluginUsage } from '../../analysis/facts.js';
import type { Registry } from '../../analysis/registry.js';

/** A scheme with the identity of the source that validates it. */
export interface GuardScheme {
  readonly name: string;
  readonly scheme: JsonObject;
  readonly identity: string;
}

interface GuardDescription {
  readonly spec: PluginSpec;
  readonly part: ApiPart;
  readonly place: Pick<PluginUsage, 'slot' | 'value' | 'holder'>;
}

/** An alternative without schemes allows anonymous access. */
export function listAlternatives(
  registry: Registry,
  all: readonly GuardDescription[],
): readonly (readonly GuardScheme[])[] {
  const either = new Set(all.flatMap(({ part }) => part.either ?? []));
  const toGuardSchemes = (described: GuardDescription): GuardScheme[] =>
    (described.part.security ?? []).map((one) => createGuardScheme(registry, described, one));
  const needed = all.filter(({ place }) => !either.has(place.slot)).flatMap(toGuardSchemes);
  return [...either].reduce<readonly (readonly GuardScheme[])[]>(
    (ways, slot) => {
      // A plugin without credentials is an alternative of its own.
      const choices = all.filter(({ place }) => place.slot === slot).map(toGuardSchemes);
      return choices.length === 0 ? ways : ways.flatMap((way) => choices.map((choice) => [...way, ...choice]));
    },
    [needed],
  );
}

/** Schemes with different sources need different tokens, even in the same header. */
function createGuardScheme(
  registry: Registry,
  { spec, place }: GuardDescription,
  { name, scheme }: ApiSecurity,
): GuardScheme {
  const findFacts = (kind: string, plugin: string) => registry.plugin(kind, plugin)?.facts;
  const verifiedBy = spec.getCallerKey?.({ ...place, facts: findFacts }) ?? place.value;
  return { name, scheme, identity: JSON.stringify([scheme, verifiedBy]) };
}
