import { ownFields, ownList } from '../../../base/json.ts'

/** Parts of the same schema that others refer to, by reference: `#/$defs/Color`. */
export type Definitions = ReadonlyMap<string, Keyed>

/** One object of a schema, by keyword. */
export type Keyed = Map<string, unknown>

/** References to references, and unions in unions: so many are followed. A circle is left as it is, and refused. */
export const deepest = 8

/** A definition is copied wherever something refers to it, so one with more keywords is not used. */
const mostKeywords = 50

export function definitionsIn(root: Keyed): Definitions {
  return new Map(
    ['definitions', '$defs'].flatMap((place) =>
      [...(ownFields(root.get(place)) ?? [])].flatMap(([name, value]) => {
        const keyed = ownFields(value)
        const isUsable = keyed !== undefined && keyed.size <= mostKeywords
        return isUsable ? [[`#/${place}/${name}`, keyed] as const] : []
      }),
    ),
  )
}

/**
 * A copy with what its references and its `allOf` of one entry stand for. What is written beside a reference counts more
 * than what it refers to.
 */
export function resolved(given: Keyed, definitions: Definitions): Keyed {
  let keyed: Keyed = new Map(given)
  for (let depth = 0; depth < deepest; depth += 1) {
    const [keyword, inner] = innerOf(keyed, definitions)
    if (inner === undefined) break
    keyed.delete(keyword)
    keyed = new Map([...inner, ...keyed])
  }
  return keyed
}

function innerOf(keyed: Keyed, definitions: Definitions): readonly [keyword: string, inner: Keyed | undefined] {
  const reference = keyed.get('$ref')
  if (typeof reference === 'string') {
    const decoded = reference.replaceAll('~1', '/').replaceAll('~0', '~')
    return ['$ref', definitions.get(reference) ?? definitions.get(decoded)]
  }
  const all = ownList(keyed.get('allOf'), 2)
  return ['allOf', all?.length === 1 ? ownFields(all[0]) : undefined]
}
