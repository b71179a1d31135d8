/** One thing that the protocol asks of a server, a client or a gateway. */
export interface Requirement {
  /** The requirement in one sentence of ours. */
  readonly rule: string
  /** The revisions, page and heading of the specification that it comes from. */
  readonly section: string
  readonly proof: Proof
}

/** How it is shown that we meet a requirement. */
export type Proof =
  /** Tests show it: those that have its id in their name. */
  | { readonly kind: 'shown' }
  /** Tests show a part of it, and this part is missing. */
  | { readonly kind: 'partly'; readonly missing: string }
  /** It binds nothing that we build. */
  | { readonly kind: 'not-ours'; readonly reason: string }

export type Requirements = Readonly<Record<string, Requirement>>

/** Names a heading of a page of the specification, in the revisions that hold the requirement. */
export function page(path: string, ...revisions: readonly string[]): (heading: string) => string {
  return (heading) => `${revisions.join(' and ')}, ${path}, "${heading}"`
}

export const shown = (section: string, rule: string): Requirement => ({ rule, section, proof: { kind: 'shown' } })

export const partly = (section: string, rule: string, missing: string): Requirement => ({
  rule,
  section,
  proof: { kind: 'partly', missing },
})

export const notOurs = (section: string, rule: string, reason: string): Requirement => ({
  rule,
  section,
  proof: { kind: 'not-ours', reason },
})
