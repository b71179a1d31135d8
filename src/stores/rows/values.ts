import type { ParticipantId } from '../../participant/participant.ts'

/** Stands where the name of a forgotten participant stood; no identity can ever have this id. */
export const forgottenParticipant = 'forgotten' as ParticipantId

/** A whole number as a driver may hand it back: wide integers arrive as text or as a bigint. */
export type Whole = number | bigint | string

/** A moment as it is kept. */
export const toMs = (moment: Date | undefined): number | null => moment?.getTime() ?? null

/** The moment that was kept. */
export const fromMs = (ms: Whole): Date => new Date(Number(ms))

/** The same text for the same name only, in characters that every database can hold and compare. */
export const toName = (name: string): string => JSON.stringify(name).slice(1, -1)

/** The name that was kept. */
export const fromName = (name: string): string => JSON.parse(`"${name}"`)
