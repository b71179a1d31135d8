import { BadArgument } from '../base/errors.ts'

/** Names one participant everywhere: `local`, or the subject and issuer of a verified identity. */
export type ParticipantId = string & { readonly __participant: true }

/** A verified identity: what a token or a login proved, never what a message claims. */
export interface Identity {
  issuer: string
  subject: string
}

/** The one person of an installation without login. */
export const localParticipant = 'local' as ParticipantId

/** Two identities get one id only when issuer and subject are both the same. */
export function participantId({ issuer, subject }: Identity): ParticipantId {
  if (subject === '' || issuer === '') throw new BadArgument('An identity needs an issuer and a subject.')
  if (!subject.isWellFormed() || !issuer.isWellFormed()) throw new BadArgument('An identity is whole Unicode text.')
  // Encoding hides every "@" of the subject, so the first "@" always ends it.
  return `${encodeURIComponent(subject)}@${encodeURI(issuer)}` as ParticipantId
}

/** Reads an id back, as from a command line or a row. */
export function parseParticipantId(text: string): ParticipantId {
  if (text === localParticipant || /^[^@\s]+@\S+$/.test(text)) return text as ParticipantId
  throw new BadArgument(`"${text}" is not a participant. Write "local", or subject@issuer.`)
}
