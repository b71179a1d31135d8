import type { KeptEnvelope, NewEnvelope } from '../../hub/store.ts'

/** An envelope as SQL keeps it. */
export interface EnvelopeRow {
  readonly seq: number | string
  readonly space: string
  readonly sender: string
  readonly id: string
  readonly recipients: string
  readonly at: number | string
  readonly digest: string
  readonly text: string
  readonly state: string
  readonly open: string | null
}

export const envelopeColumns = 'seq, space, sender, id, recipients, at, digest, text, state, open'

/** Names of participants hold no spaces. Each is between two, so that one can be found in the text. */
export function recipientsText(to: readonly string[]): string {
  return to.length === 0 ? '' : ` ${to.join(' ')} `
}

/** What `recipients` holds if it names this participant. */
export function recipientPart(participant: string): string {
  return ` ${participant} `
}

/** The values of a row in the order of `envelopeColumns`, without `seq`. */
export function envelopeValues(envelope: NewEnvelope): (string | number | null)[] {
  const { space, from, id, to, at, digest, text, state, open } = envelope
  const opened = open === undefined ? null : JSON.stringify(open)
  return [space, from, id, recipientsText(to), at.getTime(), digest, text, state, opened]
}

export function fromEnvelopeRow(row: EnvelopeRow): KeptEnvelope {
  const { seq, space, sender, id, recipients, at, digest, text, state, open } = row
  return {
    seq: Number(seq),
    space,
    from: sender,
    id,
    to: recipients === '' ? [] : recipients.trim().split(' '),
    at: new Date(Number(at)),
    digest,
    text,
    state: state as KeptEnvelope['state'],
    ...(open !== null && { open: JSON.parse(open) }),
  }
}
