import type { SignedBy } from '../../elicitation/answering/signatures.ts'

const longest = 65_536

/** What a browser signed or made, unchecked, from the fields of a form; undefined where nothing that could be it was sent. */
export function readSigned(form: FormData, ceremonyField: string, assertionField: string): SignedBy | undefined {
  const ceremony = form.get(ceremonyField)
  const text = form.get(assertionField)
  if (typeof ceremony !== 'string' || typeof text !== 'string' || text.length > longest) return undefined
  try {
    return { ceremony, assertion: JSON.parse(text) }
  } catch {
    return undefined
  }
}
