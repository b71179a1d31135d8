import type { Signatures } from '../elicitation/answering/signatures.ts'
import type { Passkeys } from './passkeys.ts'
import { refusalWords } from './refusal-words.ts'

/** Lets people sign their answers with passkeys. */
export function signaturesBy(passkeys: Pick<Passkeys, 'beginSigning' | 'verify'>): Signatures {
  return {
    begin: (participant, what) => passkeys.beginSigning(participant, what),
    async verify(participant, what, signed) {
      const verified = await passkeys.verify(participant, what, signed)
      return verified.kind === 'verified'
        ? { kind: 'verified', passkey: verified.passkey.id }
        : { kind: 'refused', message: refusalWords[verified.reason] }
    },
  }
}
