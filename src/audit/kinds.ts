/** Every kind of event that Assent writes to the audit, and its meaning. docs/storage-schema.md has the same table. */
export const auditKinds = {
  'question-asked': 'A question is about to be asked; `question-joined` or `question-refused` follows if it was not.',
  'question-joined': 'The same question was open already, and the new asker waits for its answer.',
  'question-refused': 'A question was not asked: its requester or participant has too many open.',
  'question-answered':
    'Somebody accepted, declined or cancelled a question; the reason that an approver gave is kept with it.',
  'question-expired': 'Nobody answered a question in its time.',
  'question-failed': 'A question ended without an answer because something broke.',
  'question-withdrawn': 'A question was taken back before it was answered.',
  'vote-cast': 'An approver said yes or no to a question that needs several; the reason they gave is kept with it.',
  'question-delegated':
    'An approver handed their part of a question on; whoever received it has an entry too, marked `received`.',
  'question-escalated': 'A question was still open, and others may answer it too.',
  'change-late': 'The vote, delegation or escalation recorded just before changed nothing: somebody else was first.',
  'settling-late': 'The settling recorded just before changed nothing: the question was settled already.',
  'answered-unseen':
    'A client answered an approval sooner than a person could; it counts for nothing, and the question goes elsewhere.',
  'answer-refused': 'Somebody who was not asked, or in a way that does not count, tried to answer.',

  'call-started': 'A tool call was let run, and is about to be sent.',
  'call-finished':
    'A tool call that had started ended, `done` or `failed`. Marked `late` if the store took the record only later.',
  'call-refused': 'A tool call was not let run, or not let continue after it started.',
  'allowed-unasked': 'A tool call runs without an answer: nobody could be asked, and its rule allows that.',
  'hook-answered':
    'The hook of a coding agent got an answer about a call: `allow`, `deny`, `ask` (its own prompt) or `none`. Whether the call ran is not seen.',
  'grant-made': 'An answered approval became a grant: a yes or a no for one call, or for longer.',
  'grant-revoked': 'A grant was taken back.',
  'grant-spent': 'The yes for one call is about to be used up.',
  'grant-spent-late': 'The yes recorded as spent just before was used up already, and the call did not run.',
  paused: 'Somebody denied every call until further notice.',
  resumed: 'Somebody let policy and people decide again.',

  'connect-begun': 'A person was sent to a provider to connect an account.',
  connected: 'An account is about to be kept, or the one before it replaced.',
  'connect-denied': 'A person said no at the provider.',
  'connect-failed': 'Connecting an account failed at the provider or on the way.',
  'connect-refused': 'What came back from a provider, or a key, was not accepted.',
  'connection-renewed': 'The provider renewed the tokens of a connection.',
  'connection-not-renewed': 'The tokens of a connection could not be renewed this time.',
  'connection-refused': 'The provider refuses to renew a connection, and its person must consent again.',
  'connection-rejected': 'A service did not accept the credential of a connection.',
  disconnected: 'A connection is about to be deleted.',
  'connection-let-go': 'A deleted connection was revoked at its provider, or that failed.',
  'client-registered': 'Assent registered by itself at an authorization server that an MCP server named.',
  'client-forgotten': 'A registration was dropped: its server no longer knows it, or it has expired.',

  'tool-held': 'A server offers a new tool, or a changed one, and it is held back until an administrator allows it.',
  'tool-allowed': 'The definition of a tool is about to be allowed by an administrator.',

  'browser-added': 'A browser was let in to answer for a participant; `letInBy` is the browser that showed it a code.',
  'browser-removed': 'A browser was signed out or revoked.',
  'passkey-added': 'A passkey is about to be kept for a participant; `others` is how many they had.',
  'passkey-revoked': 'A passkey was revoked, by its person with a passkey or by the operator.',
  'passkey-refused': 'The signature of a passkey, or a new passkey, was not accepted; `reason` says why.',
  'token-made': 'A token is about to be kept, by which a program acts for a participant; `rights` says what it may do.',
  'token-used': 'A program is about to answer a question by a token.',
  'token-refused': 'A program was refused what it wanted with a token; `reason` says why.',
  'token-revoked': 'A token was revoked, by its person or by the operator.',
  'push-added': 'A browser is about to be added for push notifications.',
  'push-removed': 'A browser gets no push notifications any more; `by` says why.',
  'page-refused':
    'A page or a post was refused to whoever opened it; `count` is how often one address of a stranger was, in a minute.',

  'hub-joined': 'A participant joined a space of the hub.',
  'hub-left': 'A participant left a space, or was disconnected; `words` say why.',
  'hub-join-refused': 'Somebody without a valid token or ticket tried to join a space; recorded once a minute.',
  'hub-refused':
    'An envelope was not passed on: its sender forged its name, lacked the right, or answered what was not asked.',
  'hub-ticket-made': 'A ticket was made that lets its holder join a space once.',

  'keys-rotated': 'A new key seals, and what older keys had sealed was sealed again.',
  'key-dropped': 'A key was deleted that nothing needs any more.',
  'doctor-checked': '`assent doctor` tried whether the store can be written to.',

  forgotten: 'A participant was forgotten; `about` is the pseudonym that leads nowhere now.',
  'audit-exported': 'An administrator exported the whole audit in the console.',
  pruned: 'The oldest events of some chains are about to be deleted; `data` says up to which.',
  'chain-opened': 'The first event of a chain, with the heads of the others.',
  heads: 'How far the other chains are, as this one sees them.',
  'chain-closed': 'The last event of a chain whose process ended in good order.',
} as const

/** A kind of event that Assent itself writes. */
export type AuditKind = keyof typeof auditKinds

/** A kind of event of your own, such as `custom:pager-called`. Assent never writes kinds with this prefix. */
export type CustomAuditKind = `custom:${string}`
