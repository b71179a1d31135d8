/** An integer as a driver may return it: wide integers come as text or as a bigint. */
export type IntegerValue = number | bigint | string

/** A date as it is stored. */
export const toMs = (moment: Date | undefined): number | null => moment?.getTime() ?? null

/** The inverse of `toMs`. */
export const fromMs = (ms: IntegerValue): Date => new Date(Number(ms))

/** Encodes any text, one to one, in characters that every database can store and compare. */
export const toName = (name: string): string => JSON.stringify(name).slice(1, -1)

/** The inverse of `toName`. */
export const fromName = (name: string): string => JSON.parse(`"${name}"`)
