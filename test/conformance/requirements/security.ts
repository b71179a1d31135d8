import { notOurs, page, partly, type Requirements, shown } from './requirement.ts'

const everyRevision = ['2025-06-18', '2025-11-25', '2026-07-28']
const authorization = page('basic/authorization', ...everyRevision)
const practices = page('tutorials/security/security_best_practices', ...everyRevision)
const practices2026 = page('tutorials/security/security_best_practices', '2026-07-28')
const tasks = page('basic/utilities/tasks', '2025-11-25')
const tasksExtension = page('seps/2663-tasks-extension', '2026-07-28')

const noTasks = 'Tasks are an extension that neither our servers nor the SDK offer, and the gateway offers to no side.'
const noClients =
  'Nobody registers clients with us, and we pass no code on to one: clients bring tokens of the login, and providers send people back to our own pages.'

/** Tokens, consent and their attacks; tasks, as far as they ask. */
export const security: Requirements = {
  'O-01': shown(
    authorization('Token Handling'),
    'Every token is checked, and must be made for this server; any other gets 401.',
  ),
  'O-02': shown(
    authorization('Token Handling'),
    'No other token is accepted or passed on; the token for an upstream is another one.',
  ),
  'O-03': shown(
    page('basic/authorization/authorization-server-discovery', '2026-07-28')('Authorization Server Location'),
    'A server tells where its authorization server is: by metadata, and in the challenge of a 401.',
  ),
  'O-04': shown(
    page('basic/authorization', '2025-11-25', '2026-07-28')('Runtime Insufficient Scope Errors'),
    'A token with too few scopes gets 403, and is told all that are needed at once.',
  ),
  'O-05': shown(
    authorization('Token Requirements'),
    'A token goes in the header of every request, never in an address.',
  ),
  'O-06': notOurs(
    page('basic/authorization/security-considerations', '2026-07-28')('Confused Deputy Problem'),
    'A proxy with one client id of its own asks for consent for each client that registers with it.',
    noClients,
  ),
  'O-07': partly(
    page('basic/authorization', '2026-07-28')('Authorization Response Validation'),
    'At a provider we name the resource, use PKCE, check the issuer, and keep credentials by issuer.',
    'A provider is told the resource only where its settings name one, and tokens are kept by provider, not by issuer.',
  ),
  'O-08': shown(
    page('basic/authorization', '2026-07-28')('Refresh Tokens'),
    'A server does not list offline_access, and a wider scope covers those within it.',
  ),
  'O-09': shown(
    authorization('Protocol Requirements'),
    'On stdio there is no OAuth; credentials come from the environment.',
  ),

  'S-01': notOurs(
    practices('Required Protections'),
    'A proxy keeps for each user which clients they approved, and looks there before it goes to a third party.',
    noClients,
  ),
  'S-02': shown(
    practices('Required Protections'),
    'A consent page names client, scopes and return address, is safe from forged posts, and cannot be framed.',
  ),
  'S-03': shown(
    practices('Required Protections'),
    'Its cookie is Secure, HttpOnly, of this host and site alone, and cannot be made up or used for another client.',
  ),
  'S-04': notOurs(
    practices('Required Protections'),
    'The return addresses of registered clients must match to the letter.',
    noClients,
  ),
  'S-05': shown(
    practices('Required Protections'),
    'The OAuth state is random, made after consent, compared exactly, used once, and short-lived.',
  ),
  'S-06': shown(practices('Token Passthrough'), 'A token that was not made for us is refused.'),
  'S-07': shown(
    practices2026('Server-Side Request Forgery (SSRF)'),
    'No address that somebody gives us leads into private networks, also not by a redirect or a changed name.',
  ),
  'S-08': shown(
    page('tutorials/security/security_best_practices', '2025-06-18', '2025-11-25')('Session Hijacking'),
    'A session id proves nothing about who calls, cannot be guessed, and opens nothing for another user.',
  ),
  'S-09': shown(
    practices2026('State Handle Hijacking'),
    'The handle of a state is random, ends, and belongs to one user; having it proves nothing.',
  ),
  'S-10': shown(
    practices2026('OAuth Authorization URL Validation'),
    'Only https, and http on loopback, is opened, never through a shell.',
  ),
  'S-11': shown(practices2026('OAuth Authorization URL Validation'), 'Pages carry a strict content security policy.'),
  'S-12': notOurs(
    practices2026('stdio Transport Security in Proxy Scenarios'),
    'A proxy that starts programs confines them, logs them, and asks before it does.',
    'The gateway starts the programs of its settings and no others. Whoever writes the settings chooses their sandbox.',
  ),

  'K11-01': notOurs(
    tasks('Associating Task-Related Messages'),
    'A question asked for a task names the task, as does its answer.',
    noTasks,
  ),
  'K11-02': notOurs(
    tasks('Input Required Status'),
    'A task that asks says so in its status, and its question comes with tasks/result.',
    noTasks,
  ),
  'K11-03': notOurs(
    tasks('Task Isolation and Access Control'),
    'A task belongs to the authorization that made it.',
    noTasks,
  ),
  'K26-01': shown(
    tasksExtension('Capability Negotiation'),
    'A result is a task only for a request that says it can take one.',
  ),
  'K26-02': notOurs(
    tasksExtension('Task Update Requests'),
    'A task shows all its open questions in tasks/get, and takes their answers, some or all, by tasks/update.',
    noTasks,
  ),
  'K26-03': notOurs(
    tasksExtension('Composition with Multi Round-Trip Requests'),
    'Rounds end before a task begins, and a task has no request state.',
    noTasks,
  ),
  'K26-04': notOurs(
    tasksExtension('Task Polling'),
    'A client treats the questions of a task like any other, and shows each once.',
    noTasks,
  ),
}
