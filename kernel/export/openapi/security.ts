/** What callers of a resource show: the ways in, each a list of schemes that are all needed. Names and headers, no secret. */
import type { ApiPart, ApiSecurity } from '../../contract/api.js';
import type { JsonObject } from '../../contract/json.js';
import type { PluginSpec } from '../../contract/plugin.js';
import type { PluginPlace } from '../../analysis/finds.js';
import type { Registry } from '../../analysis/registry.js';

/** A scheme, and by what callers are judged with it. */
export interface Guarding {
  readonly name: string;
  readonly scheme: JsonObject;
  readonly identity: string;
}

interface Told {
  readonly spec: PluginSpec;
  readonly part: ApiPart;
  readonly place: Pick<PluginPlace, 'slot' | 'value' | 'holder'>;
}

/** One way without a scheme is open to all. */
export function waysIn(registry: Registry, all: readonly Told[]): readonly (readonly Guarding[])[] {
  const either = new Set(all.flatMap(({ part }) => part.either ?? []));
  const shown = (told: Told): Guarding[] => (told.part.security ?? []).map((one) => guarding(registry, told, one));
  const needed = all.filter(({ place }) => !either.has(place.slot)).flatMap(shown);
  return [...either].reduce<readonly (readonly Guarding[])[]>(
    (ways, slot) => {
      // A plugin that asks for nothing that is sent, such as one of addresses, is a way of its own.
      const choices = all.filter(({ place }) => place.slot === slot).map(shown);
      return choices.length === 0 ? ways : ways.flatMap((way) => choices.map((choice) => [...way, ...choice]));
    },
    [needed],
  );
}

/** Callers who are judged by something else need another token, also where it is sent in the same way. */
function guarding(registry: Registry, { spec, place }: Told, { name, scheme }: ApiSecurity): Guarding {
  const facts = (kind: string, plugin: string) => registry.plugin(kind, plugin)?.facts;
  const judgedBy = spec.guardOf?.({ ...place, facts }) ?? place.value;
  return { name, scheme, identity: JSON.stringify([scheme, judgedBy]) };
}
