import { notOurs, page, type Requirements, shown } from './requirement.ts'

const http = page('basic/transports/streamable-http', '2026-07-28')
const stdio = page('basic/transports/stdio', '2026-07-28')
const http2025 = page('basic/transports', '2025-06-18', '2025-11-25')
const subscriptions = page('basic/patterns/subscriptions', '2026-07-28')
const cancellation = page('basic/patterns/cancellation', '2026-07-28')
const tools = page('server/tools', '2026-07-28')

/** HTTP, stdio and the 2025 sessions; listening, cancelling, progress, tools, caching. */
export const transports: Requirements = {
  'H26-01': shown(
    http('Security & Endpoint'),
    'A request with a strange Origin gets 403; a local server listens on loopback, and wants to know who calls.',
  ),
  'H26-02': shown(http('Sending Messages'), 'A client accepts JSON and event streams, and reads both.'),
  'H26-03': shown(
    http('Protocol Version Header'),
    'Every POST says its protocol version in a header, the same as in `_meta`.',
  ),
  'H26-04': shown(
    http('Standard Request Headers'),
    'Every POST says its method in a header, and the name or address it is about.',
  ),
  'H26-05': shown(http('Value Encoding'), 'A value that no header can hold goes as marked base64.'),
  // On its fast path the gateway accepts a call without a header that its tool wants.
  'H26-06': shown(
    http('Server Validation'),
    'A header that is missing, broken or not what the body says is refused with 400 and -32020.',
  ),
  'H26-07': shown(http('Sending Messages'), 'A POST holds one request or notification, never a response.'),
  'H26-08': shown(http('Sending Messages'), 'A notification is answered with 202 and no body, or refused.'),
  'H26-09': shown(
    http('Receiving Messages'),
    'A stream holds what belongs to its request, holds no requests, and ends with the response.',
  ),
  // The transport of the SDK (2.4.0) resumes a stream with event ids unless its host sets `maxRetries: 0`.
  'H26-10': shown(http('Receiving Messages'), 'A broken stream is not resumed: the client sends a new request.'),
  'H26-11': shown(http('Cancellation'), 'A client that closes the stream has cancelled, and gets nothing more.'),
  'H26-12': shown(http('Protocol Version Header'), 'An unknown method gets 404 and -32601.'),
  'H26-13': shown(
    http('Schema Extension'),
    'A client copies marked arguments into headers, and leaves out tools whose marks are wrong.',
  ),
  'H26-14': shown(
    http('Server Behavior for Custom Headers'),
    'A gateway passes on parameter headers that it does not know, and refuses known ones that differ from the body.',
  ),
  'H26-15': shown(
    http('Server Validation'),
    'A gateway answers wrong headers with an HTTP error, and trusts headers only of revisions that check them.',
  ),
  'H26-16': shown(
    http('Earlier Streamable HTTP Revisions'),
    'Where only 2026 is spoken, GET and DELETE get 405, and session ids are neither read nor made.',
  ),
  'H26-17': shown(
    http('Protocol Version Header'),
    'A request without a version header is of 2025-03-26 where that is served, and else refused.',
  ),
  'T26-01': shown(
    page('basic/transports', '2025-06-18', '2025-11-25')('stdio'),
    'On stdio there is one message on each line, and nothing else.',
  ),
  'T26-02': shown(stdio('Receiving Messages'), 'On stdio no server writes requests, and no client responses.'),
  'T26-03': shown(stdio('Cancellation'), 'On stdio a client cancels by notifications/cancelled.'),
  // The gateway starts processes; our client is handed one by its host, who restarts it.
  'T26-04': shown(
    stdio('Unexpected Termination'),
    'A process that died is started again; what was under way is lost, and listening begins anew.',
  ),
  'T26-05': shown(
    page('basic/index', '2026-07-28')('Statelessness'),
    'A process or a connection is no conversation: unrelated requests on one do not mix.',
  ),

  'H11-01': shown(http2025('Session Management'), 'Session ids cannot be guessed, and are visible ASCII.'),
  // The gateway begins and ends sessions; our client is connected by its host.
  'H11-02': shown(
    http2025('Session Management'),
    'Each request names its session; without one it gets 400, after its end 404, and the client initializes again.',
  ),
  'H11-03': shown(http2025('Session Management'), 'A client that is done deletes its session, if the server lets it.'),
  'H11-04': shown(
    http2025('Sending Messages to the Server'),
    'Answers to questions are posted, and get 202 or an error.',
  ),
  'H11-05': shown(
    http2025('Sending Messages to the Server'),
    'A question goes out on the stream of the call that caused it.',
  ),
  'H11-06': shown(http2025('Multiple Connections'), 'Each message goes out on one stream only.'),
  'H11-07': shown(
    http2025('Sending Messages to the Server'),
    'In 2025 a closed connection is no cancel: the call goes on.',
  ),
  'H11-08': shown(
    http2025('Resumability and Redelivery'),
    'Event ids are unique in a session, replay only their own stream, and a client waits as long as `retry` says.',
  ),
  'H11-09': shown(
    http2025('Protocol Version Header'),
    'After initialize each request names its version; a wrong one gets 400, none means 2025-03-26.',
  ),
  'H11-10': shown(http2025('Security Warning'), 'A request with a strange Origin is refused.'),
  'H11-11': shown(
    page('basic/lifecycle', '2025-06-18', '2025-11-25')('Timeouts'),
    'Every request has a time limit that can be set, may be renewed by progress, and has an end.',
  ),

  'L26-01': shown(
    subscriptions('Acknowledgment'),
    'A subscription is acknowledged first, and brings only what was asked for, under its id.',
  ),
  'L26-02': shown(subscriptions('Graceful Closure'), 'A server that ends a subscription answers its request.'),
  // Shown of the gateway. Our client never listens: a host that does uses `listen` of the SDK, again after a reconnect.
  'L26-03': shown(
    subscriptions('Graceful Closure'),
    'On stdio a client tells subscriptions apart by their ids, and subscribes again after a reconnect.',
  ),
  'L26-04': shown(
    subscriptions('Receiving Notifications'),
    'Progress and log messages go with their own request, never with a subscription.',
  ),
  'X26-01': shown(cancellation('Behavior Requirements'), 'A server cancels subscriptions, and nothing else.'),
  'X26-02': shown(
    cancellation('Timing Considerations'),
    'A cancel may cross with the answer; the server stops, frees what it held, and need not answer.',
  ),
  // The gateway waits for an upstream's answer to a call for as long as its client does.
  'X26-03': shown(
    cancellation('Timeouts'),
    'Every request has a time limit that can be set for it alone, and a hard maximum.',
  ),
  'X26-04': shown(
    page('basic/patterns/progress', '2026-07-28')('Progress Flow'),
    'Progress rises with every message, goes to a request that is under way, and ends with it.',
  ),
  // Shown with SDK 2.4. SDK 1.32.2, by which its host connects, sends a cancel all the same.
  'X11-01': shown(
    page('basic/utilities/cancellation', '2025-06-18', '2025-11-25')('Behavior Requirements'),
    'A client does not cancel initialize.',
  ),
  'U26-01': shown(tools('Capabilities'), 'A list may depend on who asks, never on the connection over which they ask.'),
  'U26-02': shown(
    tools('Tool Names'),
    'Tools of several servers get names that differ, and not by what the servers call themselves.',
  ),
  'U26-03': shown(
    tools('Security Considerations'),
    'A server checks what a tool is given, who calls it and how often, and cleans what it returns.',
  ),
  'U26-04': shown(
    page('server/utilities/caching', '2026-07-28')('Cacheable Results'),
    'Lists and resources say how long and for whom they may be cached, and private ones never cross to others.',
  ),
  'U26-05': notOurs(
    tools('x-mcp-header'),
    'Arguments that hold secrets are not marked to be copied into headers.',
    'The author of a tool decides which of its arguments are marked.',
  ),
}
