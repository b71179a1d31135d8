import { localParticipant, type ParticipantId } from '../../participant/participant.ts'

/** A participant's name for people: the subject of their identity. */
export function personName(participant: ParticipantId): string {
  if (participant === localParticipant) return 'the person at this machine'
  const subject = participant.slice(0, participant.indexOf('@'))
  try {
    return decodeURIComponent(subject)
  } catch {
    return subject
  }
}
