/** The part of the work that will show a requirement: C the client, D pages and connections, E approvals, F the gateway. */
export type Part = 'C' | 'D' | 'E' | 'F'

/** Where a requirement stands. */
export type Requirement =
  /** Tests show it: those that have its id in their name. */
  | { readonly kind: 'shown' }
  /** Tests show it for some of those that it binds; for the others, tests of these parts will. */
  | { readonly kind: 'partly'; readonly later: readonly Part[] }
  /** It binds nothing that we build. */
  | { readonly kind: 'not-ours'; readonly reason: string }

const shown: Requirement = { kind: 'shown' }
const partly = (...later: Part[]): Requirement => ({ kind: 'partly', later })
const notOurs = (reason: string): Requirement => ({ kind: 'not-ours', reason })

const noTasks =
  'Tasks are an extension that neither our servers nor the SDK offer, and the gateway offers to neither side.'
const noClients =
  'Nobody registers clients with us, and no code is passed on to one: they bring tokens of the login, and accounts come back to our own pages.'
const programs =
  'The gateway starts the programs of its settings and no others. In which sandbox they run is for those who write the settings to say.'

/** Everything that the protocol asks of what we build, by its id. */
export const requirements: Record<string, Requirement> = {
  // Elicitation, 2025-06-18
  'E06-01': shown,
  'E06-02': shown,
  'E06-03': shown,
  'E06-04': shown,
  'E06-05': shown,
  'E06-06': shown,
  'E06-07': shown,
  'E06-08': shown,

  // Elicitation, 2025-11-25
  'E11-01': shown,
  'E11-02': shown,
  'E11-03': shown,
  'E11-04': shown,
  'E11-05': shown,
  'E11-06': shown,
  'E11-07': shown,
  'E11-08': shown,
  'E11-09': shown,
  'E11-10': shown,
  'E11-11': shown,
  'E11-12': shown,
  'E11-13': shown,
  'E11-14': shown,
  'E11-15': shown,
  'E11-16': shown,
  'E11-17': shown,
  'E11-18': shown,
  'E11-19': shown,
  'E11-20': shown,
  'E11-21': shown,
  'E11-22': shown,
  'E11-23': shown,
  'E11-24': shown,
  'E11-25': shown,
  'E11-26': shown,
  'E11-27': shown,
  'E11-28': shown,
  'E11-29': shown,
  'E11-30': shown,
  'E11-31': shown,
  'E11-32': shown,
  'E11-33': shown,
  'E11-34': shown,
  'E11-35': shown,
  'E11-36': shown,
  'E11-37': shown,
  'E11-38': shown,
  'E11-39': shown,
  'E11-40': shown,
  'E11-41': shown,
  'E11-42': shown,

  // Elicitation, 2026-07-28
  'E26-01': shown,
  'E26-02': shown,
  'E26-03': shown,
  'E26-04': shown,
  'E26-05': shown,
  'E26-06': shown,
  'E26-07': shown,

  // Requests of several rounds
  'M26-01': shown,
  'M26-02': shown,
  'M26-03': shown,
  'M26-04': shown,
  'M26-05': shown,
  'M26-06': shown,
  'M26-07': shown,
  'M26-08': shown,
  'M26-09': shown,
  'M26-10': shown,
  'M26-11': shown,
  'M26-12': shown,
  'M26-13': shown,
  'M26-14': shown,
  'M26-15': shown,
  'M26-16': shown,
  'M26-17': shown,
  'M26-18': shown,
  'M26-19': shown,
  'M26-20': shown,
  'M26-21': shown,
  'M26-22': shown,

  // The base protocol
  'B26-01': shown,
  'B26-02': shown,
  'B26-03': shown,
  'B26-04': shown,
  'B26-05': shown,
  'B26-06': shown,
  'B26-07': shown,
  'B26-08': shown,
  'B26-09': shown,
  'B26-10': shown,
  'B26-11': shown,
  'B26-12': shown,
  'B26-13': shown,
  'B26-14': shown,

  // Versions and discovery
  'V26-01': shown,
  'V26-02': shown,
  'V26-03': shown,
  'V26-04': shown,
  'V26-05': shown,
  // The gateway's way. Our client is handed to us by its host, and the SDK connects it: 2.4.0 takes -32020 and -32021 for a legacy server.
  'V26-06': shown,
  'V26-07': shown,
  'V26-08': shown,
  // The same.
  'V26-09': shown,
  'V11-01': shown,
  'V11-02': shown,

  // HTTP and stdio, 2026-07-28
  'H26-01': shown,
  'H26-02': shown,
  'H26-03': shown,
  'H26-04': shown,
  'H26-05': shown,
  // By its fast way the gateway takes a call that leaves out a header which its tool wants.
  'H26-06': shown,
  'H26-07': shown,
  'H26-08': shown,
  'H26-09': shown,
  // The SDK's transport (2.4.0) resumes a stream with event ids unless its host sets `maxRetries: 0`.
  'H26-10': shown,
  'H26-11': shown,
  'H26-12': shown,
  'H26-13': shown,
  'H26-14': shown,
  'H26-15': shown,
  'H26-16': shown,
  'H26-17': shown,
  'T26-01': shown,
  'T26-02': shown,
  'T26-03': shown,
  // Whoever starts a process restarts it: the host of our client, or the gateway.
  'T26-04': shown,
  'T26-05': shown,

  // HTTP and its sessions, 2025
  'H11-01': shown,
  // Whoever connects begins and ends sessions: the host of our client, or the gateway.
  'H11-02': shown,
  'H11-03': shown,
  'H11-04': shown,
  'H11-05': shown,
  'H11-06': shown,
  'H11-07': shown,
  'H11-08': shown,
  'H11-09': shown,
  'H11-10': shown,
  'H11-11': shown,

  // Listening, cancelling, progress, tools, caching
  'L26-01': shown,
  'L26-02': shown,
  // The gateway's way. Our client never listens: a host that does calls `listen` of the SDK, and again after a reconnect.
  'L26-03': shown,
  'L26-04': shown,
  'X26-01': shown,
  'X26-02': shown,
  // The gateway waits for an upstream's answer to a call for as long as its client does.
  'X26-03': shown,
  'X26-04': shown,
  // With SDK 2.4. SDK 1.32.2, which its host connects, sends a cancel all the same.
  'X11-01': shown,
  'U26-01': shown,
  'U26-02': shown,
  'U26-03': shown,
  'U26-04': shown,
  'U26-05': notOurs('Which arguments a tool puts into headers is for the author of the tool to say.'),

  // Authorization
  'O-01': shown,
  'O-02': shown,
  'O-03': shown,
  'O-04': shown,
  'O-05': shown,
  'O-06': notOurs(noClients),
  // What a provider is asked for names a `resource` only where its settings do, and tokens are kept by provider, not by issuer.
  'O-07': partly('F'),
  'O-08': shown,
  'O-09': shown,

  // Security
  'S-01': notOurs(noClients),
  'S-02': shown,
  'S-03': shown,
  'S-04': notOurs(noClients),
  'S-05': shown,
  'S-06': shown,
  'S-07': shown,
  'S-08': shown,
  'S-09': shown,
  'S-10': shown,
  'S-11': shown,
  'S-12': notOurs(programs),

  // Tasks
  'K11-01': notOurs(noTasks),
  'K11-02': notOurs(noTasks),
  'K11-03': notOurs(noTasks),
  'K26-01': shown,
  'K26-02': notOurs(noTasks),
  'K26-03': notOurs(noTasks),
  'K26-04': notOurs(noTasks),
}
