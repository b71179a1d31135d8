import type { PasskeyRefusal } from './desk.ts'

/** What each refusal means, for the person, and what to do. */
export const refusalWords: Readonly<Record<PasskeyRefusal, string>> = {
  'ceremony-over': 'This took too long, or was sent before. Try again.',
  'signed-something-else': 'The passkey signed something else than what was sent. Open the page again and try again.',
  'unknown-passkey': 'This passkey is not one of yours here. Use one that is listed under Passkeys.',
  'not-verified':
    'The passkey could not be verified. Unlock it with your fingerprint, face or PIN, on this page, and try again.',
  'counter-backwards':
    'This passkey has signed less often than it had before, as a copy of it would. Nothing was accepted. Revoke it under Passkeys, and use another.',
  'existing-passkey-needed': 'You have a passkey. Confirm with it before you add another.',
  'too-many': 'You have as many passkeys as you may have. Revoke one that you do not use.',
  'registered-already': 'This passkey is registered already.',
}
