import type { Person } from '../../participant/identify.ts'
import type { Answerer } from './answerers.ts'

/** Before the name of a group, where a group is an answerer. */
export const groupPrefix = 'group:'

/** Whether an answerer is a group. */
export function isGroup(answerer: string): boolean {
  return answerer.startsWith(groupPrefix)
}

/** Whether this name names the person, by themselves or by a group. */
export function isOneOf(person: Person, answerer: Answerer): boolean {
  return isGroup(answerer)
    ? person.groups.includes(answerer.slice(groupPrefix.length))
    : answerer === person.participant
}

/** Whether text names somebody who can be asked: `local`, `subject@issuer` or `group:name`. */
export function isAnswererName(name: string): boolean {
  return isParticipantName(name) || /^group:./.test(name)
}

/** Whether text names one participant. */
export function isParticipantName(name: string): boolean {
  return name === 'local' || (/^[^@\s]+@\S+$/.test(name) && !/^(?:group|client):/.test(name))
}
