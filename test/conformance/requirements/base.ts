import { page, type Requirements, shown } from './requirement.ts'

const rounds = page('basic/patterns/mrtr', '2026-07-28')
const servers = rounds('Server Requirements (Basic Workflow)')
const clients = rounds('Client Requirements (Basic Workflow)')
const base = page('basic/index', '2026-07-28')
const versions = page('basic/versioning', '2026-07-28')
const overStdio = page('basic/transports/stdio', '2026-07-28')('Backward Compatibility')
const overHttp = page('basic/transports/streamable-http', '2026-07-28')('Backward Compatibility')
const lifecycle = page('basic/lifecycle', '2025-06-18', '2025-11-25')

/** Requests of several rounds, the messages they are made of, and how two sides agree on a revision. */
export const baseProtocol: Requirements = {
  'M26-01': shown(
    rounds('Multi Round-Trip Requests'),
    'Questions, sampling and roots go out in a round; a server never sends a request of its own.',
  ),
  'M26-02': shown(
    rounds('Supported Requests'),
    'Only tools/call, prompts/get and resources/read can end in a question.',
  ),
  'M26-03': shown(servers, 'The keys of the questions of one round differ.'),
  'M26-04': shown(servers, 'A round asks for elicitation, sampling or roots, and for nothing else.'),
  'M26-05': shown(servers, 'A round that asks nothing brings at least a state.'),
  'M26-06': shown(servers, 'A state that comes back is read as if an attacker had written it.'),
  'M26-07': shown(servers, 'A state that decides anything is sealed, and one that was changed is rejected.'),
  'M26-08': shown(servers, 'A state opens only for the principal it was made for.'),
  'M26-09': shown(servers, 'A state opens for a short time only.'),
  'M26-10': shown(servers, 'A state opens only with the method and the arguments it was made for.'),
  'M26-11': shown(servers, 'What may happen once happens once, also if its state is sent again.'),
  'M26-12': shown(servers, 'A round holds nothing that the client did not say it can do.'),
  'M26-13': shown(
    servers,
    'A server does not count on a retry, holds nothing for one for ever, and may ask again in each round.',
  ),
  'M26-14': shown(clients, 'A client retries with an answer to every question, and at once if there was none.'),
  'M26-15': shown(clients, 'A client returns the state to the byte, unread, and adds none where none came.'),
  'M26-16': shown(clients, 'A retry has a JSON-RPC id of its own.'),
  'M26-17': shown(clients, 'Answers and state go with the retry of their own request alone.'),
  'M26-18': shown(rounds('Error Handling'), 'A server checks the answers; broken ones are a JSON-RPC error.'),
  'M26-19': shown(rounds('Error Handling'), 'Answers under keys that nobody asked for are ignored.'),
  'M26-20': shown(rounds('Error Handling'), 'A missing answer is asked for again, and is no error.'),
  'M26-21': shown(
    page('server/utilities/caching', '2026-07-28')('Cache Key'),
    'The results of retries are not cached, and a round says nothing about caching.',
  ),
  'M26-22': shown(rounds('Basic Workflow'), 'A retry holds all that is needed to go on, in whatever process.'),

  'B26-01': shown(base('Requests'), 'Ids are texts or integers, and none is used twice at a time.'),
  'B26-02': shown(base('Result Responses'), 'Every result names its `resultType`.'),
  'B26-03': shown(
    base('Result Responses'),
    'A client takes a result without `resultType` for complete, and one of an unknown type for broken.',
  ),
  'B26-04': shown(base('Result Responses'), 'A `resultType` of an extension needs that extension on both sides.'),
  'B26-05': shown(
    base('Error Codes'),
    'No code of the reserved range is sent but the three that are defined; our own lie outside of it.',
  ),
  'B26-06': shown(base('Statelessness'), 'Version, capabilities and identity are read from each request anew.'),
  'B26-07': shown(base('Statelessness'), 'State that spans requests is named by each of them.'),
  'B26-08': shown(
    base('`_meta`'),
    'A request without protocol version or client capabilities is refused with -32602, on HTTP with status 400.',
  ),
  'B26-09': shown(base('`_meta`'), 'Both sides may say what they are called, and nothing is decided by it.'),
  'B26-10': shown(
    base('`_meta`'),
    'A server that needs an undeclared capability answers -32021, which lists what is missing.',
  ),
  'B26-11': shown(
    page('server/utilities/logging', '2026-07-28')('Per-request log level'),
    'Log messages go only to requests that ask for them.',
  ),
  'B26-12': shown(
    base('`$ref` Resolution'),
    'Schemas are JSON Schema 2020-12 by default, fetch nothing from the network, and cannot take for ever to check.',
  ),
  'B26-13': shown(base('`_meta`'), 'Keys of `_meta` are well formed, and ours do not use prefixes reserved for MCP.'),
  'B26-14': shown(base('Message Patterns'), 'Servers send no requests, and clients no responses.'),

  'V26-01': shown(versions('Protocol Version Negotiation'), 'Every server answers server/discover.'),
  'V26-02': shown(
    versions('Protocol Version Negotiation'),
    'A version that a server does not speak is refused with -32022 and the list of those it does.',
  ),
  'V26-03': shown(
    versions('Protocol Version Negotiation'),
    'A client that is refused picks a version from that list and tries again.',
  ),
  'V26-04': shown(
    versions('Extension Negotiation'),
    'Extensions have prefixed names, and are not used with a side that lacks them.',
  ),
  'V26-05': shown(
    versions('Backward Compatibility with Initialization-Based Versions'),
    'One address may serve both eras, told apart request by request.',
  ),
  // Shown of the gateway. Our client is handed to us connected, and the SDK that connects it (2.4.0) takes -32020 and
  // -32021 for signs of a legacy server.
  'V26-06': shown(
    versions('Backward Compatibility with Initialization-Based Versions'),
    'A client remembers the era of a server; an error that only modern servers know means modern, any other legacy.',
  ),
  'V26-07': shown(
    versions('Backward Compatibility with Initialization-Based Versions'),
    'A server that refuses initialize says which versions it speaks.',
  ),
  'V26-08': shown(
    overStdio,
    'On stdio a client tries server/discover first, and falls back whatever the error, or if none comes.',
  ),
  // Shown of the gateway, for the same reason as V26-06.
  'V26-09': shown(overHttp, 'On HTTP a client reads the body of a 400 before it falls back.'),
  'V11-01': shown(
    lifecycle('Initialization'),
    'In 2025 all begins with initialize, and only what was agreed there is used.',
  ),
  'V11-02': shown(lifecycle('Initialization'), 'Before it hears initialized, a server asks for nothing.'),
}
