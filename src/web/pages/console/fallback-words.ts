/** Why a question was asked elsewhere than in the client, in words. */
export const fallbackWords: Readonly<Record<string, string>> = {
  'form-undeclared': 'The client shows no forms',
  'url-undeclared': 'The client opens no pages',
  'no-session': 'The client cannot be asked in this session',
  'elicitation-disabled': 'Questions of this server are switched off',
  'approval-unaskable': 'The client can show neither all of the call nor a page',
  unanswered: 'The client did not answer',
  'answered-unseen': 'The client answered before a person could',
  'page-closed': 'The person did not open the page',
  'approver-elsewhere': 'Somebody else approves',
  'inbox-only': 'The rule asks in the inbox only',
  'too-many-tries': 'The client gave no valid answer',
  'too-many-asks': 'The server asked too often',
  'upstream-url-in-inbox': 'A page of the server waited in the inbox',
  'upstream-form-in-inbox': 'A form of the server waited in the inbox',
}
