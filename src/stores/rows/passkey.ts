import type { ParticipantId } from '../../participant/participant.ts'
import type { Passkey } from '../../passkey/passkey.ts'
import { fromMs, type IntegerValue } from './values.ts'

/** One passkey as a SQL row. Fields that no query needs are JSON in `details`. */
export interface PasskeyRow<Integer = IntegerValue> {
  id: string
  credential: string
  participant: string
  version: Integer
  details: string
}

interface Details extends Pick<Passkey, 'publicKey' | 'counter' | 'transports' | 'kind' | 'name'> {
  createdAt: number
  usedAt?: number
}

export const passkeyColumns = ['id', 'credential', 'participant', 'version', 'details'] as const

/** The inverse of `fromPasskeyRow`. */
export function toPasskeyRow(passkey: Passkey): PasskeyRow<number> {
  const { id, credential, participant, version, createdAt, usedAt, ...rest } = passkey
  const details: Details = {
    ...rest,
    createdAt: createdAt.getTime(),
    ...(usedAt !== undefined && { usedAt: usedAt.getTime() }),
  }
  return { id, credential, participant, version, details: JSON.stringify(details) }
}

/** The passkey of a row. */
export function fromPasskeyRow({ id, credential, participant, version, details }: PasskeyRow): Passkey {
  const { createdAt, usedAt, ...rest }: Details = JSON.parse(details)
  return {
    id,
    version: Number(version),
    participant: participant as ParticipantId,
    credential,
    ...rest,
    createdAt: fromMs(createdAt),
    ...(usedAt !== undefined && { usedAt: fromMs(usedAt) }),
  }
}
